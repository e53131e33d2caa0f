import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { loadAll } from "./load-all.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Serves these pages in order. @returns the requested addresses */
function servePages(...pages: object[]): string[] {
  const requested: string[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    requested.push(address);
    return Response.json(pages[requested.length - 1]);
  });
  return requested;
}

const listNames = { method: "GET", path: "/api/names" } as const;

const load = (query: { trend?: number } = {}) =>
  loadAll(
    { address: listNames, parts: { query: { ...query, limit: 2 } }, field: "names", item: z.string() },
    new AbortController().signal,
  );

test("all pages of a list are loaded, each from the cursor of the page before", async () => {
  const requested = servePages({ names: ["a", "b"], nextCursor: "one/1" }, { names: ["c"] });
  expect(await load()).toEqual(["a", "b", "c"]);
  expect(requested).toEqual(["/api/names?limit=2", "/api/names?limit=2&cursor=one%2F1"]);
});

test("parameters of the address are kept on every page", async () => {
  const requested = servePages({ names: [], nextCursor: "x" }, { names: [] });
  expect(await load({ trend: 20 })).toEqual([]);
  expect(requested).toEqual(["/api/names?trend=20&limit=2", "/api/names?trend=20&limit=2&cursor=x"]);
});

test("a page with an invalid item is an error, not a shorter list", async () => {
  servePages({ names: ["a", 1] });
  await expect(load()).rejects.toThrow("unexpected response");
});
