import { z } from "zod";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type JsonSchema,
  type OpenApiDocument,
  readOpenApi,
} from "@waymark/test-support/described-operations.ts";
import { type RegisteredRoute, registeredRoutes } from "@waymark/test-support/registered-routes.ts";
import { startStack } from "@waymark/test-support/stack.ts";
import { stringsOf } from "@waymark/test-support/strings-of-schema.ts";

let document: OpenApiDocument;
let routes: RegisteredRoute[];
beforeAll(async () => {
  await using stack = await startStack();
  document = await readOpenApi(stack);
  routes = await registeredRoutes(stack.databaseUrl);
});

/** Every field with a default below a part of the document. */
function defaultsOf(part: unknown, seen = new Set<string>()): { field: string; isRequired: boolean }[] {
  if (typeof part !== "object" || part === null) return [];
  const { $ref, properties, required = [] } = part as JsonSchema;
  if ($ref !== undefined) {
    if (seen.has($ref)) return [];
    return defaultsOf(document.components.schemas[$ref.split("/").at(-1) ?? ""], new Set([...seen, $ref]));
  }
  const own = Object.entries(properties ?? {}).flatMap(([field, schema]) =>
    schema.default === undefined ? [] : [{ field, isRequired: required.includes(field) }],
  );
  return [...own, ...Object.values(part).flatMap((value) => defaultsOf(value, seen))];
}

describe("the published schemas", () => {
  it("say that a field with a default is optional in requests, and present in responses", () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const inRequests = operations.flatMap(({ requestBody }) => defaultsOf(requestBody));
    expect(inRequests.length).toBeGreaterThan(10);
    expect(inRequests.filter(({ isRequired }) => isRequired)).toEqual([]);
    const inResponses = operations.flatMap(({ responses }) => defaultsOf(responses));
    expect(inResponses.filter(({ isRequired }) => !isRequired)).toEqual([]);
    const withDefault = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ schema }) => schema.default !== undefined),
    );
    expect(withDefault.length).toBeGreaterThan(20);
    expect(withDefault.filter(({ required }) => required === true)).toEqual([]);
  });

  it("refer to models that exist, and have none that nothing refers to", () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    const names = Object.keys(document.components.schemas);
    expect(references.filter((name) => !names.includes(name ?? ""))).toEqual([]);
    expect(names.filter((name) => name.endsWith("Input") && !references.includes(name))).toEqual([]);
  });

  const requestParts = () =>
    routes
      .filter(({ url, method }) => url.startsWith("/api/") && method !== "HEAD")
      .flatMap(({ method, url, schema }) =>
        ["body", "querystring", "params"].flatMap((part) =>
          stringsOf(schema[part], `${method} ${url} ${part}`),
        ),
      );

  it("count the characters of every text, never its UTF-16 units", () => {
    const parts = requestParts();
    expect(parts.length).toBeGreaterThan(150);
    // Zod's own limits count UTF-16 units. Where a pattern allows ASCII only, both are the same.
    const counted = parts.filter(({ schema }) => {
      const checks = (schema.def.checks ?? []).map(({ _zod }) => _zod.def);
      const limits = checks.some(({ check }) =>
        ["max_length", "min_length", "length_equals"].includes(check),
      );
      return limits && !checks.some((check) => isAscii(check));
    });
    expect(counted.map(({ place }) => place)).toEqual([]);
  });

  it("have no pattern with flags, which JSON Schema does not know", () => {
    const flagged = requestParts().filter(({ schema }) =>
      (schema.def.checks ?? []).some(({ _zod }) => {
        const { pattern } = _zod.def as { pattern?: RegExp };
        return pattern !== undefined && pattern.flags.replaceAll(/[us]/g, "") !== "";
      }),
    );
    expect(flagged.map(({ place }) => place)).toEqual([]);
  });
});

/** Whether a pattern refuses every character outside ASCII, tried with some. */
function isAscii(check: z.core.$ZodCheckDef): boolean {
  const { pattern } = check as { pattern?: RegExp };
  return (
    pattern !== undefined && ["ä", "a\u00e4", "\u{1f600}", "a:\u{1f600}"].every((text) => !pattern.test(text))
  );
}
