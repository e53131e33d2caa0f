import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certainlyValid } from "./quick-check.ts";
import { createSchemaChecker } from "./schema-check.ts";

const ROOT = {
  $defs: {
    "s:#/x": { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
  },
};
const REFERENCE = { $ref: "#/$defs/s%3A%23~1x" };

const schema = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, fc.constant(true), tie("leaf"), tie("object"), tie("array"), tie("all")),
  leaf: fc.record(
    {
      type: fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array"),
      minimum: fc.integer({ min: -3, max: 3 }),
      exclusiveMaximum: fc.integer({ min: -3, max: 3 }),
      minLength: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.integer({ min: 0, max: 3 }),
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }),
      format: fc.constantFrom("uuid", "date", "date-time", "int32"),
    },
    { requiredKeys: [] },
  ),
  object: fc.record(
    {
      properties: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("any"), { maxKeys: 2 }),
      required: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("any")),
    },
    { requiredKeys: [] },
  ),
  array: fc.record(
    { items: tie("any"), minItems: fc.nat(2), maxItems: fc.nat(3) },
    { requiredKeys: ["items"] },
  ),
  all: fc.record({ allOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
})).any;

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
  fc.array(fc.integer({ min: -4, max: 4 }), { maxLength: 4 }),
  fc.string({ maxLength: 4, unit: "grapheme" }),
);

function valid(given: unknown, candidate: unknown): boolean {
  return certainlyValid(given, candidate, { root: ROOT, depth: 0 });
}

describe("the quick check", () => {
  test("never calls valid what ajv does not", () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, validateFormats: false });
    const isRight = (given: unknown, drawn: unknown): boolean => {
      const candidate: unknown = JSON.parse(JSON.stringify(drawn));
      if (!certainlyValid(given, candidate, { root: ROOT, depth: 0 })) return true;
      return typeof given === "boolean" ? given : ajv.validate(Object(given), candidate);
    };
    expect(fc.check(fc.property(schema, value, isRight), { numRuns: 1000 })).toMatchObject({
      failed: false,
      counterexample: null,
    });
  });

  test("knows references, formats and counts characters", () => {
    expect(valid(REFERENCE, { id: 1 })).toBe(true);
    expect(valid(REFERENCE, { id: "1" })).toBe(false);
    expect(valid({ format: "date-time" }, "2026-02-03T04:05:06.7Z")).toBe(true);
    expect(valid({ minLength: 2 }, "😀😀")).toBe(true);
    expect(valid({ minLength: 3 }, "😀😀")).toBe(false);
    expect(valid({ pattern: "a" }, "a")).toBe(false);
  });
});

describe("the schema check", () => {
  const checker = createSchemaChecker(ROOT);

  test("tells where a value is wrong", async () => {
    expect(await checker.check(REFERENCE, { id: "x" })).toEqual([
      { pointer: "/id", message: "must be integer" },
    ]);
    expect(await checker.check({ enum: ["a"] }, "b")).toMatchObject([
      { message: expect.stringContaining('["a"]') },
    ]);
    expect(await checker.check({ format: "email" }, "no")).toHaveLength(1);
  });

  test("keeps two patterns apart, and neither can run away", async () => {
    const both = { properties: { a: { pattern: "^(a+)+$" }, b: { pattern: "^b" } } };
    expect(await checker.check(both, { a: "aaa", b: "b" })).toEqual([]);
    expect(await checker.check(both, { a: `${"a".repeat(50_000)}!`, b: "b" })).toMatchObject([
      { pointer: "/a" },
    ]);
    expect(await checker.check(both, { a: "a", b: "c" })).toMatchObject([{ pointer: "/b" }]);
  });
});
