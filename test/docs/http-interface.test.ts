import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codesIn, difference, readPage, tableRows } from "./support/page.ts";

const PAGE = "docs/http-interface.md";

interface Parameter {
  name: string;
  in: string;
  schema: { default?: number; minimum?: number; maximum?: number };
}
interface OpenApi {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
}

let stack: Stack;
let operations: { request: string; parameters: Parameter[] }[];
beforeAll(async () => {
  stack = await startStack();
  const { body } = await stack.http.get<OpenApi>("/openapi.json", { key: null });
  operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      request: `${method.toUpperCase()} ${path}`,
      parameters,
    })),
  );
});
afterAll(() => stack[Symbol.asyncDispose]());

/** The requests with a parameter, and its schema. */
function withParameter(wanted: string) {
  return operations.flatMap(({ request, parameters }) =>
    parameters.filter(({ name }) => name.toLowerCase() === wanted).map(({ schema }) => ({ request, schema })),
  );
}

it("the table of lists has the limits of every list, and the last row those that most lists have", () => {
  const rows = tableRows(PAGE, ["list", "`limit` by default", "at most"]).map(
    ([list = "", ...limits]) => [codesIn(list)[0] ?? list, limits.join(" ").replaceAll(",", "")] as const,
  );
  const [other, ofOthers = ""] = rows.at(-1) ?? [];
  expect(other).toBe("every other list");
  const lists = withParameter("limit").map(({ request, schema }) => ({
    request,
    limits: `${schema.default} ${schema.maximum}`,
  }));
  expect(lists.filter(({ limits }) => limits === ofOthers).length).toBeGreaterThan(lists.length / 2);
  expect(
    difference(
      `The table of lists in ${PAGE}`,
      rows.slice(0, -1).map(([list, limits]) => `${list} (${limits})`),
      lists
        .filter(({ limits }) => limits !== ofOthers)
        .map(({ request, limits }) => `${request} (${limits})`),
    ),
  ).toBe("");
});

it("the part about waiting names every request that waits, and for how long", () => {
  const part = partOf("Waiting");
  const waiting = withParameter("waitseconds");
  expect(
    difference(
      "The part about waiting",
      codesIn(part).filter((code) => code.includes(" /api/")),
      waiting.map(({ request }) => request),
    ),
  ).toBe("");
  const [, from, to] = /from (\d+) to (\d+)/.exec(part) ?? [];
  expect(waiting.map(({ schema }) => [schema.minimum, schema.maximum])).toEqual(
    waiting.map(() => [Number(from), Number(to)]),
  );
});

it("the part about repeated requests names every request that takes an Idempotency-Key", () => {
  expect(
    difference(
      "The part about repeated requests",
      codesIn(partOf("Repeated requests")).filter((code) => code.includes(" /api/")),
      withParameter("idempotency-key").map(({ request }) => request),
    ),
  ).toBe("");
});

/** The text of the page's part with this heading. */
function partOf(heading: string): string {
  const [, part] = new RegExp(`^## ${heading}$([^]*?)(?=^## |(?![^]))`, "m").exec(readPage(PAGE)) ?? [];
  if (part === undefined) throw new Error(`${PAGE} has no part "${heading}"`);
  return part;
}
