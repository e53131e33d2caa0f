import { ROUTE_CASES } from "@waymark/test-support/key-suite/route-cases.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codesIn, difference, PAGES, readPage, tableRows } from "./support/page.ts";

const PAGE = "docs/api-keys.md";

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
}

let stack: Stack;
let operations: { route: string; operationId: string; tags: string[] }[];
beforeAll(async () => {
  stack = await startStack();
  const { body } = await stack.http.get<OpenApi>("/openapi.json", { key: null });
  operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, tags }]) => ({
      route: routeOf(`${method.toUpperCase()} ${path}`),
      operationId,
      tags,
    })),
  );
});
afterAll(() => stack[Symbol.asyncDispose]());

it("the table of requests has every route of keys, and the audit record's and the limits'", () => {
  const documented = tableRows(PAGE, ["request", "needs", "response"]).flatMap(([request = ""]) =>
    codesIn(request).map(routeOf),
  );
  const ofKeys = operations.filter(({ tags }) =>
    tags.some((tag) => ["api-keys", "audit", "limits"].includes(tag)),
  );
  expect(
    difference(
      `The table of requests in ${PAGE}`,
      documented,
      ofKeys.map(({ route }) => route),
    ),
  ).toBe("");
});

it("the table of requests has the permissions that each needs", () => {
  const wrong = tableRows(PAGE, ["request", "needs", "response"]).flatMap(([request = "", needs = ""]) => {
    const route = routeOf(codesIn(request)[0] ?? "");
    const { operationId = "" } = operations.find((operation) => operation.route === route) ?? {};
    const sentence = difference(`"${route} needs …"`, codesIn(needs), ROUTE_CASES[operationId]?.needs ?? []);
    return sentence === "" ? [] : [sentence];
  });
  expect(wrong).toEqual([]);
});

it.each(PAGES)("%s names only existing routes", (page) => {
  const known = operations.map(({ route }) => route);
  const named = codesIn(readPage(page))
    .filter((code) => /^(GET|POST|PUT|PATCH|DELETE) \/api\//.test(code))
    .map(routeOf);
  expect(named.filter((route) => !known.includes(route))).toEqual([]);
});

/** Method and path without a query or a body; parameters have no names. */
function routeOf(request: string): string {
  const [method = "", target = ""] = request.split(" ");
  return `${method} ${target.replace(/\?.*/, "").replaceAll(/\{\w+\}/g, "{}")}`;
}
