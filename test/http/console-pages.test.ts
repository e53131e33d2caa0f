import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHARED_RUN_PAGE } from "@waymark/shared/console/schema.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const answerTo = async (path: string, accept: string) => {
  const { status, headers } = await stack.http.get(path, { key: null, headers: { accept } });
  return [status, headers.get("content-type")?.split(";")[0]];
};

describe("the console's pages", () => {
  it.each([
    ["/", 200],
    ["/services", 200],
    ["/services/", 200],
    ["/api-keys", 200],
    ["/api-keys/", 200],
    ["/scan-runs/1", 200],
    ["/endpoints", 200],
    ["/findings", 200],
    ["/decisions", 200],
    ["/journeys", 200],
    ["/journeys/1", 200],
    ["/journeys/1/edit?step=a", 200],
    ["/journey-runs/1", 200],
    ["/coverage", 200],
    ["/environments/", 200],
    ["/environments/1", 200],
    ["/trust-policies", 200],
    ["/audit-log", 200],
    ["/limits", 200],
    ["/my-keys", 200],
    ["/people", 200],
    ["/people/1", 200],
    ["/teams/1", 200],
    ["/nowhere", 404],
    ["/services/1/2/3", 404],
  ])("are what a browser gets at %s, with status %i", async (path, status) => {
    expect(await answerTo(path, BROWSER)).toEqual([status, "text/html"]);
  });

  it.each([
    ["/nowhere", "application/json"],
    ["/nowhere", "*/*"],
    ["/api/nowhere", BROWSER],
    ["/assets/nowhere.js", BROWSER],
  ])("are not the response to %s for %s", async (path, accept) => {
    expect(await answerTo(path, accept)).toEqual([404, "application/json"]);
  });

  it("have the session loaded beside their files, but not the page of a shared run, which needs none", async () => {
    const linkOf = async (path: string) =>
      (await stack.http.get(path, { key: null, headers: { accept: BROWSER } })).headers.get("link");
    expect(await linkOf("/services/1")).toBe("</api/session>; rel=preload; as=fetch; crossorigin");
    expect(await linkOf(SHARED_RUN_PAGE)).toBeNull();
  });

  it("are sent only for requests that read", async () => {
    const { status, body } = await stack.http.post("/nowhere", {}, { headers: { accept: BROWSER } });
    expect([status, body]).toMatchObject([404, { error: { code: "not_found" } }]);
  });
});
