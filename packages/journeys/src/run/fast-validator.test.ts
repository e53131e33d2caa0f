import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAjv } from "../evaluation/ajv.ts";
import { passesFastPath } from "./fast-validator.ts";
import { createLocalEvaluator } from "../evaluation/local-evaluator.ts";
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
  return passesFastPath(given, candidate, ROOT);
}

describe("the fast validator", () => {
  test("calls no value valid that ajv calls invalid", () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, validateFormats: false });
    const isRight = (given: unknown, drawn: unknown): boolean => {
      const candidate: unknown = JSON.parse(JSON.stringify(drawn));
      if (!passesFastPath(given, candidate, ROOT)) return true;
      return typeof given === "boolean" ? given : ajv.validate(Object(given), candidate);
    };
    expect(fc.check(fc.property(schema, value, isRight), { numRuns: 1000 })).toMatchObject({
      failed: false,
      counterexample: null,
    });
  });

  test("calls no value valid that ajv calls invalid because of its format", () => {
    const ajv = createAjv({ strict: false, validateSchema: false, logger: false });
    const formats = [
      "int32",
      "int64",
      "float",
      "double",
      "byte",
      "binary",
      "password",
      "uuid",
      "date",
      "date-time",
    ];
    const candidates = fc.oneof(
      fc.constantFrom(2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53 + 2, 2 ** 63, 1.5, 1e300, -0, null, true),
      fc.constantFrom(
        "",
        "YQ==",
        "YQ",
        "a b",
        "2026-02-28",
        "2026-02-30",
        "2026-02-03T04:05:06Z",
        "24:00:00Z",
      ),
      fc.uuid(),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.double(),
      fc.string({ maxLength: 6 }),
    );
    const isRight = (format: string, candidate: unknown): boolean =>
      !passesFastPath({ format }, candidate, ROOT) || ajv.validate({ format }, candidate);
    expect(
      fc.check(fc.property(fc.constantFrom(...formats), candidates, isRight), { numRuns: 2000 }),
    ).toMatchObject({ failed: false, counterexample: null });
  });

  test("follows references, checks formats and counts characters", () => {
    expect(valid(REFERENCE, { id: 1 })).toBe(true);
    expect(valid(REFERENCE, { id: "1" })).toBe(false);
    expect(valid({ format: "date-time" }, "2026-02-03T04:05:06.7Z")).toBe(true);
    expect(valid({ minLength: 2 }, "😀😀")).toBe(true);
    expect(valid({ minLength: 3 }, "😀😀")).toBe(false);
    expect(valid({ pattern: "a" }, "a")).toBe(false);
  });
});

describe("the schema check", () => {
  const evaluator = createLocalEvaluator();
  const checker = createSchemaChecker(ROOT);
  const check = async (given: unknown, candidate: unknown) =>
    (await checker.check(given, candidate, evaluator)).faults;

  test("reports the position of a fault", async () => {
    expect(await check(REFERENCE, { id: "x" })).toEqual([{ pointer: "/id", message: "must be integer" }]);
    expect(await check({ enum: ["a"] }, "b")).toMatchObject([{ message: expect.stringContaining('["a"]') }]);
    expect(await check({ format: "email" }, "no")).toHaveLength(1);
  });

  test("follows references into another schema", async () => {
    const own = {
      $defs: { id: { type: "integer" } },
      anyOf: [{ $ref: "#/$defs/id" }, { $ref: "#/$defs/id" }],
    };
    expect(await check(own, 1)).toEqual([]);
    expect(await check(own, "x")).toHaveLength(3);
    expect(
      await check({ properties: { a: { pattern: "a" }, b: { $ref: "#/properties/a" } } }, { b: "b" }),
    ).toEqual([{ pointer: "/b", message: 'must match pattern "a"' }]);
  });

  test("keeps two patterns apart", async () => {
    const both = { properties: { a: { pattern: "^a+$" }, b: { pattern: "^b" } } };
    expect(await check(both, { a: "aaa", b: "b" })).toEqual([]);
    expect(await check(both, { a: "aab", b: "b" })).toMatchObject([{ pointer: "/a" }]);
    expect(await check(both, { a: "a", b: "c" })).toMatchObject([{ pointer: "/b" }]);
  });

  test("shows 20 faults and counts the rest", async () => {
    const anyOf = Array.from({ length: 30 }, () => ({ type: "integer" }));
    const { faults, more } = await checker.check({ anyOf }, "x", evaluator);
    expect([faults.length, more]).toEqual([20, 11]);
  });

  test("refuses a schema whose references double, before it is compiled", () => {
    const levels = Array.from({ length: 20 }, (_, n) => {
      const next = n === 19 ? { type: "integer" } : { $ref: `#/$defs/L${n + 1}` };
      return [`L${n}`, { anyOf: [next, next] }] as const;
    });
    const bomb = { $defs: Object.fromEntries(levels), anyOf: [{ $ref: "#/$defs/L0" }, false] };
    expect(() => checker.check(bomb, "x", evaluator)).toThrow(
      /could take [\d,]+ comparisons, more than 100,000/,
    );
  });
});
