import { describe, expect, test } from "vitest";
import {
  NARROWER,
  object,
  OTHER,
  ref,
  SAME,
  text,
  judgeRow,
  whole,
  WIDER,
  type SchemaRow,
} from "./test-support/schema-rows.ts";

const MAYBE = ["maybe", "maybe", "maybe", "maybe"] as const;
const array = { type: "array" };
const list = (...values: unknown[]) => ({ type: "string", enum: values });

describe("numbers", () => {
  testSchemaRows([
    {
      name: "halves that become whole",
      before: { type: "number", multipleOf: 0.5 },
      after: whole,
      levels: NARROWER,
    },
    {
      name: "even numbers that become whole",
      before: { type: "number", multipleOf: 2 },
      after: whole,
      levels: WIDER,
    },
    {
      name: "multiples of 1.5 that become whole",
      before: { type: "number", multipleOf: 1.5 },
      after: whole,
      levels: OTHER,
    },
    {
      name: "an unknown format that changes",
      before: { type: "integer", format: "unix-time" },
      after: { type: "integer", format: "unix-time-ms" },
      levels: MAYBE,
    },
    {
      name: "a format of numbers on a text",
      before: text,
      after: { type: "string", format: "int64" },
      levels: ["maybe", "safe", "safe", "maybe"],
    },
  ]);
});

describe("listed values", () => {
  testSchemaRows([
    {
      name: "a format instead that refuses them",
      before: list("a"),
      after: { type: "string", format: "date" },
      levels: OTHER,
    },
    {
      name: "a format instead that nobody knows",
      before: list("a"),
      after: { type: "string", format: "colour" },
      levels: ["maybe", "breaking", "breaking", "maybe"],
    },
    {
      name: "a pattern instead that is not understood",
      before: list("a"),
      after: { type: "string", pattern: "^(?=a)a$" },
      levels: ["maybe", "breaking", "breaking", "maybe"],
    },
    {
      name: "null as the only value",
      before: { type: ["string", "null"], const: null },
      after: { type: "null" },
      levels: SAME,
    },
    {
      name: "null beside nullable",
      before: { type: "string", nullable: true, enum: ["a"] },
      after: { type: "string", nullable: true, enum: ["a", null] },
      levels: WIDER,
      version: "3.0.3",
    },
    {
      name: "nullable beside values without null",
      before: list("a"),
      after: { type: "string", nullable: true, enum: ["a"] },
      levels: SAME,
      version: "3.0.3",
    },
  ]);
});

describe("conditions", () => {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  const needs = (name: string, other: string) => ({ if: { required: [name] }, then: { required: [other] } });
  testSchemaRows([
    {
      name: "in another order",
      before: object({}, [], { allOf: [needs("a", "b"), needs("c", "d")] }),
      after: object({}, [], { allOf: [needs("c", "d"), needs("a", "b")] }),
      levels: SAME,
    },
    {
      name: "one less",
      before: object({}, [], { allOf: [needs("a", "b"), needs("c", "d")] }),
      after: object({}, [], { allOf: [needs("c", "d")] }),
      levels: WIDER,
    },
    {
      name: "exclusions in another order",
      before: { allOf: [{ not: { pattern: "^a" } }, { not: { pattern: "^b" } }] },
      after: { allOf: [{ not: { pattern: "^b" } }, { not: { pattern: "^a" } }] },
      levels: SAME,
    },
    {
      name: "certain items in another order",
      before: { ...array, allOf: [{ contains: whole }, { contains: text }] },
      after: { ...array, allOf: [{ contains: text }, { contains: whole }] },
      levels: SAME,
    },
    {
      name: "more items that may be there only twice",
      before: { ...array, contains: whole, minContains: 0, maxContains: 2 },
      after: { ...array, contains: { type: "number" }, minContains: 0, maxContains: 2 },
      levels: NARROWER,
    },
    {
      name: "a property less in an exclusion",
      before: { not: object({ a: text }, ["b"]) },
      after: { not: object({}, ["b"]) },
      levels: MAYBE,
    },
  ]);
});

describe("closed objects", () => {
  testSchemaRows([
    {
      name: "closed by an exclusion of everything",
      before: object({ a: text }, [], { additionalProperties: { not: {} } }),
      after: object({ a: text }, [], { additionalProperties: false }),
      levels: SAME,
    },
    {
      name: "unevaluated properties where all are evaluated",
      before: object({ a: text }, [], { additionalProperties: true, unevaluatedProperties: false }),
      after: object({ a: text }, [], { unevaluatedProperties: false }),
      levels: ["breaking", "safe", "safe", "maybe"],
    },
    {
      name: "as many properties as are required",
      before: object({ a: text }, ["a"]),
      after: object({ a: text }, ["a"], { minProperties: 1 }),
      levels: SAME,
    },
  ]);
});

describe("references that are no $ref", () => {
  const parent = (discriminator: object) => object({ kind: text }, ["kind"], { discriminator });
  const child = (schema: object) => ({ allOf: [ref("Pet"), object({ meow: schema })] });
  const shortText = { type: "string", maxLength: 3 };
  const [names, pointers] = [{ cat: "Cat" }, { cat: "#/components/schemas/Cat" }];
  const pets = (discriminator: object, schema: object) => ({
    Pet: parent(discriminator),
    Cat: child(schema),
  });
  const byKind = { propertyName: "kind" };
  const union = (mapping: object) => ({
    oneOf: [ref("Cat"), ref("Dog")],
    discriminator: { ...byKind, ...mapping },
  });
  const kinds = { Cat: object({ kind: text, meow: text }), Dog: object({ kind: text, bark: text }) };
  testSchemaRows([
    {
      name: "the schema of a mapping",
      before: ref("Pet"),
      after: ref("Pet"),
      levels: NARROWER,
      components: [
        pets({ ...byKind, mapping: pointers }, text),
        pets({ ...byKind, mapping: pointers }, shortText),
      ],
    },
    {
      name: "the schema of a mapping by name",
      before: ref("Pet"),
      after: ref("Pet"),
      levels: NARROWER,
      components: [pets({ ...byKind, mapping: names }, text), pets({ ...byKind, mapping: names }, shortText)],
    },
    {
      name: "a schema that extends another one",
      before: { type: "array", items: ref("Pet") },
      after: { type: "array", items: ref("Pet") },
      levels: NARROWER,
      components: [pets(byKind, text), pets(byKind, shortText)],
    },
    {
      name: "a schema that no longer extends another one",
      before: { type: "array", items: ref("Pet") },
      after: { type: "array", items: ref("Pet") },
      levels: ["breaking", "safe", "safe", "maybe"],
      components: [pets(byKind, text), { Pet: parent(byKind) }],
    },
    {
      name: "the schema of other values",
      before: union({ defaultMapping: "Cat" }),
      after: union({ defaultMapping: "Dog" }),
      levels: OTHER,
      components: [kinds],
      version: "3.2.0",
    },
    {
      name: "a second value of a kind",
      before: union({ mapping: { cat: "Cat", dog: "Dog" } }),
      after: union({ mapping: { cat: "Cat", tom: "Cat", dog: "Dog" } }),
      levels: WIDER,
      components: [kinds],
    },
    {
      name: "a dynamic anchor",
      before: { $dynamicRef: "#node" },
      after: { $dynamicRef: "#node" },
      levels: NARROWER,
      components: [
        { A: { $dynamicAnchor: "node", type: "string" } },
        { A: { $dynamicAnchor: "node", ...shortText } },
      ],
    },
  ]);
});

/** Judges each row in both directions, forth and back. */
function testSchemaRows(rows: readonly SchemaRow[]): void {
  test.each(rows)("$name", async (row) => {
    expect(await judgeRow(row)).toEqual(row.levels);
  });
}
