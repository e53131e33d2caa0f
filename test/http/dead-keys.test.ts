import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf, makeKey } from "@waymark/test-support/api-keys.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { ROUTE_CASES } from "@waymark/test-support/key-suite/route-cases.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startApi, startStack } from "@waymark/test-support/stack.ts";

/** RATE_LIMIT_FAILED_AUTH_PER_MINUTE where nobody sets it. */
const DEFAULT_MAX = 600;
const SELF_REVOKE = "/api/api-keys/self/revoke";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Sends requests some at a time and counts their statuses. A minute may end between them: then some count again. */
async function hammer(times: number, send: () => Promise<{ status: number }>): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let sent = 0; sent < times; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

describe("with the default limits, a dead key", () => {
  it.each<[string, Parameters<typeof createKey>[2]]>([
    ["revoked", { revoked: true }],
    ["expired", { expiresAt: new Date(Date.now() - 1000) }],
  ])("that is %s is limited on the route that kills keys, and nobody else is", async (_name, options) => {
    const key = await createKey(stack, ["*"], options);
    const counts = await hammer(1500, () => stack.http.post(SELF_REVOKE, undefined, { key }));
    expect(Object.fromEntries(counts)).toEqual({ 401: DEFAULT_MAX, 429: 1500 - DEFAULT_MAX });
    expect((await stack.http.get("/api/limits")).status).toBe(200);
    expect((await stack.http.get("/api/limits", { key: "junk" })).status).toBe(401);
  });

  it("is limited on ingest, where live keys have no limit, and at the sign-in", async () => {
    const scanning = await createKey(stack, ["*"], { revoked: true });
    const scans = await hammer(DEFAULT_MAX + 50, () =>
      stack.http.post("/api/scans/ingest", {}, { key: scanning }),
    );
    expect(Object.fromEntries(scans)).toEqual({ 401: DEFAULT_MAX, 429: 50 });
    const signing = await createKey(stack, ["*"], { revoked: true });
    const signIns = await hammer(DEFAULT_MAX + 50, () =>
      stack.http.post("/api/session", { apiKey: signing }, { key: null }),
    );
    expect(Object.fromEntries(signIns)).toEqual({ 401: DEFAULT_MAX, 429: 50 });
    // A fleet's logs may show this answer alone: it says that waiting does not help.
    const limited = await stack.http.get("/api/services", { key: signing });
    expect(errorOf(limited)).toMatchObject({ code: "rate_limited" });
    expect(errorOf(limited).message).toMatch(
      /^This API key was revoked\. Use another one\. This server's limit of 600 /,
    );
  });
});

describe("a dead key", () => {
  it("is limited on every route that needs one", async () => {
    await using api = await startApi({ ...stack, env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "2" } });
    const http = createHttpClient(api.baseUrl);
    const { body } = await http.get<{ paths: Record<string, Record<string, { operationId?: string }>> }>(
      "/openapi.json",
    );
    const tried: Record<string, number[]> = {};
    for (const [path, methods] of Object.entries(body.paths)) {
      for (const [method, { operationId = "" }] of Object.entries(methods)) {
        if (!(operationId in ROUTE_CASES)) continue;
        const key = await createKey(stack, ["*"], { revoked: true });
        const request = () =>
          http.request(
            method.toUpperCase(),
            path.replaceAll(/\{\w+\}/g, "11111111-1111-1111-1111-111111111111"),
            { key },
          );
        tried[operationId] = [];
        for (let i = 0; i < 3; i++) tried[operationId]?.push((await request()).status);
      }
    }
    expect(tried).toEqual(
      Object.fromEntries(Object.keys(ROUTE_CASES).map((operationId) => [operationId, [401, 401, 429]])),
    );
  });
});

describe("a live key", () => {
  const wrong = { organizationId: "11111111-1111-1111-1111-111111111111" };

  it("that is hammered with refused revocations is limited in those, and can kill itself at once", async () => {
    const { rawKey: key } = await makeKey(stack, { scopes: ["services:read"] });
    const counts = await hammer(1500, () => stack.http.post(SELF_REVOKE, wrong, { key }));
    expect(Object.fromEntries(counts)).toEqual({ 403: DEFAULT_MAX, 429: 1500 - DEFAULT_MAX });
    const refused = await stack.http.post(SELF_REVOKE, "{", { key });
    expect(errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // Other routes have limits of their own.
    expect((await stack.http.get("/api/services", { key })).status).toBe(200);

    const attack = hammer(300, () => stack.http.post(SELF_REVOKE, wrong, { key }));
    const killed = await stack.http.post(SELF_REVOKE, {}, { key });
    expect(killed.status).toBe(200);
    await attack;
    expect((await stack.http.get("/api/services", { key })).status).not.toBe(200);
  });

  it("can be revoked by another one while it uses up its organization's limit", async () => {
    await using api = await startApi({ ...stack, env: { RATE_LIMIT_ORGANIZATION_PER_MINUTE: "5" } });
    const http = createHttpClient(api.baseUrl);
    const { id, rawKey } = await makeKey(stack, { scopes: ["services:read"] });
    const counts = await hammer(50, () => http.get("/api/services", { key: rawKey }));
    expect(Object.fromEntries(counts)).toEqual({ 200: 5, 429: 45 });
    expect((await http.get("/api/limits", { key: stack.apiKey })).status).toBe(429);
    expect((await http.post(`/api/api-keys/${id}/revoke`, {}, { key: stack.apiKey })).status).toBe(200);
  });
});
