import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { isObject } from "@waymark/openapi/json.ts";
import { readSpec } from "./read-spec.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

// A key << is a merge in YAML, whoever writes it: not the same document as in JSON.
const vendor = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('"<<"'));
const text = fc.string({ unit: "grapheme", maxLength: 30 });
const operation = fc.record(
  {
    operationId: text,
    summary: text,
    tags: fc.array(text, { maxLength: 4 }),
    parameters: fc.constant([{ $ref: "#/components/parameters/limit" }]),
    callbacks: fc.constant({ onEvent: { "{$url}": { post: { responses: {} } } } }),
    "x-vendor": vendor,
  },
  { requiredKeys: [] },
);
const pathItem = fc
  .record(
    {
      ...Object.fromEntries(METHODS.map((method) => [method, operation])),
      "x-vendor": vendor,
    },
    { requiredKeys: [] },
  )
  .chain((item) => fc.boolean().map((shared) => ({ item, shared })));
const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .map((part) => part.replaceAll("\0", "0"));
const paths = fc.dictionary(
  fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`),
  pathItem,
  { maxKeys: 12 },
);

/** Returns a spec whose shared path items are behind `$ref`s, and the operations that reading it must find. */
function buildSpec(items: Record<string, { item: Record<string, unknown>; shared: boolean }>) {
  const pathItems: Record<string, unknown> = {};
  const entries = Object.entries(items).map(([path, { item, shared }], index) => {
    if (!shared) return [path, item];
    pathItems[`item ${index}/~`] = item;
    return [path, { $ref: `#/components/pathItems/item%20${index}~1~0`, parameters: [] }];
  });
  const expected = Object.entries(items).flatMap(([path, { item }]) =>
    METHODS.filter((method) => Object.hasOwn(item, method)).map((method) => ({
      method,
      path,
      value: item[method],
    })),
  );
  const spec = {
    openapi: "3.1.0",
    info: { title: "Generated", version: "1.0" },
    paths: Object.fromEntries(entries),
    webhooks: { event: { post: {} } },
    components: { pathItems, parameters: { limit: { name: "limit", in: "query" } } },
  };
  return { spec, expected };
}

interface Location {
  path: string;
  method: string;
}

function byLocation(a: Location, b: Location): number {
  return `${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1;
}

async function* streamOf(content: string) {
  yield content;
}

test("every generated spec is read as exactly the operations it was generated with, as JSON and as YAML", async () => {
  await fc.assert(
    fc.asyncProperty(paths, async (items) => {
      const { spec, expected } = buildSpec(items);
      const normalized = expected
        .map(({ method, path, value }) => {
          const { operationId = null, summary = null, tags = [] } = isObject(value) ? value : {};
          return { method: method.toUpperCase(), path, operationId, tags, summary };
        })
        .toSorted(byLocation);
      for (const content of [JSON.stringify(spec), stringify(spec, { aliasDuplicateObjects: false })]) {
        const { endpoints } = await readSpec({ path: "-", openStdin: () => streamOf(content) });
        expect(endpoints.toSorted(byLocation)).toEqual(normalized);
      }
    }),
    { numRuns: 150 },
  );
});
