import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createJsonPathEngine } from "../../src/evaluation/jsonpath.ts";

const require = createRequire(import.meta.url);
// The compliance test suite of RFC 9535, as this package has it.
const published = path.dirname(require.resolve("jsonpath-rfc9535/package.json"));
const file = path.join(published, "src/__tests__/jsonpath-compliance-test-suite/cts.json");
const Case = z.object({
  name: z.string(),
  selector: z.string(),
  document: z.json().optional(),
  result: z.array(z.json()).optional(),
  results: z.array(z.array(z.json())).optional(),
  invalid_selector: z.boolean().optional(),
});
const cases = z.object({ tests: z.array(Case) }).parse(JSON.parse(readFileSync(file, "utf8"))).tests;

const engine = createJsonPathEngine();

describe("JSONPath compliance test suite", () => {
  test("has the cases that the documentation counts", () => {
    expect(cases.length).toBe(687);
  });

  test.each(cases.filter((item) => item.invalid_selector === true))(
    "refuses $name: $selector",
    ({ selector }) => {
      expect(engine.problem(selector)).toBeTypeOf("string");
    },
  );

  test.each(cases.filter((item) => item.invalid_selector !== true))(
    "$name: $selector",
    ({ selector, document, result, results }) => {
      const allowed = results ?? [result];
      expect(allowed).toContainEqual(engine.select(selector, document));
    },
  );
});
