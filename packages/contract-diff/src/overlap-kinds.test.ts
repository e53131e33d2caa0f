import { describe, expect, test } from "vitest";
import {
  NARROWER,
  object,
  ref,
  SAME,
  text,
  judgeRow,
  whole,
  WIDER,
  type SchemaRow,
} from "./test-support/schema-rows.ts";

const short = { type: "string", maxLength: 10 };
const long = { type: "string", minLength: 5 };
const [low, high] = [
  { type: "integer", maximum: 5 },
  { type: "integer", minimum: 5 },
];
const kind = (name: string) => object({ kind: { const: name } }, ["kind"]);
/** A value that matched one alternative matches two; back, it is allowed again, which strict clients don't expect. */
const ADDED = ["breaking", "breaking", "breaking", "maybe"] as const;
const INSIDE = ["breaking", "safe", "safe", "maybe"] as const;

describe("an alternative of a oneOf that overlaps another one", () => {
  testSchemaRows([
    {
      name: "is added",
      before: { oneOf: [short, whole] },
      after: { oneOf: [short, whole, long] },
      levels: ADDED,
    },
    {
      name: "is added beside one",
      before: { oneOf: [short] },
      after: { oneOf: [short, long] },
      levels: ADDED,
    },
    {
      name: "allows all numbers beside integers",
      before: { oneOf: [whole, text] },
      after: { oneOf: [whole, text, { type: "number" }] },
      levels: ADDED,
    },
    {
      name: "is a part of another one",
      before: { oneOf: [text, whole] },
      after: { oneOf: [text, whole, { enum: ["a"] }] },
      levels: INSIDE,
    },
    {
      name: "grows into another one",
      before: { oneOf: [{ enum: ["a", "b"] }, { enum: ["c"] }] },
      after: { oneOf: [{ enum: ["a", "b"] }, { enum: ["b", "c"] }] },
      levels: NARROWER,
    },
    {
      name: "is null twice",
      before: { oneOf: [{ type: ["string", "null"] }, whole] },
      after: { oneOf: [{ type: ["string", "null"] }, whole, { type: "null" }] },
      levels: INSIDE,
    },
    {
      name: "is a list, and both allow the empty one",
      before: { oneOf: [{ type: "array", items: text }, whole] },
      after: { oneOf: [{ type: "array", items: text }, whole, { type: "array", items: whole }] },
      levels: ADDED,
    },
    {
      name: "is an object without a required property",
      before: { oneOf: [object({ a: text }, ["a"]), object({ b: text }, ["b"])] },
      after: { oneOf: [object({ a: text }, ["a"]), object({ b: text }, ["b"]), object({ c: text })] },
      levels: ADDED,
    },
    {
      name: "lies inside an anyOf",
      before: { anyOf: [{ oneOf: [low] }, { type: "boolean" }] },
      after: { anyOf: [{ oneOf: [low, high] }, { type: "boolean" }] },
      levels: ADDED,
    },
    {
      name: "lies inside an allOf",
      before: { allOf: [{ oneOf: [low, text] }] },
      after: { allOf: [{ oneOf: [low, text, high] }] },
      levels: ADDED,
    },
    {
      name: "lies in a shared schema of a property",
      before: object({ p: ref("Union") }),
      after: object({ p: ref("Union") }),
      levels: ADDED,
      components: [{ Union: { oneOf: [low, text] } }, { Union: { oneOf: [low, text, high] } }],
    },
    {
      name: "was an anyOf",
      before: { anyOf: [short, long] },
      after: { oneOf: [short, long] },
      levels: INSIDE,
    },
    {
      name: "requires another property of the same object",
      before: object({ a: text, b: text }, [], { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
      after: object({ a: text, b: text }, [], { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
      levels: INSIDE,
    },
    {
      name: "has a pattern, and a text of both is not found",
      before: { oneOf: [{ type: "string", pattern: "^a" }] },
      after: {
        oneOf: [
          { type: "string", pattern: "^a" },
          { type: "string", pattern: "z$" },
        ],
      },
      levels: ["maybe", "breaking", "breaking", "safe"],
    },
  ]);
});

describe("an alternative of a oneOf that overlaps none", () => {
  testSchemaRows([
    { name: "has another type", before: { oneOf: [text] }, after: { oneOf: [text, whole] }, levels: WIDER },
    {
      name: "has another fixed value",
      before: { oneOf: [kind("a")] },
      after: { oneOf: [kind("a"), kind("b")] },
      levels: WIDER,
    },
    {
      name: "requires a property that the others don't name",
      before: { oneOf: [object({ a: text }, ["a"]), object({ b: text }, ["b"])] },
      after: {
        oneOf: [object({ a: text }, ["a"]), object({ b: text }, ["b"]), object({ c: text }, ["c"])],
      },
      levels: WIDER,
    },
    { name: "was an anyOf", before: { anyOf: [text, whole] }, after: { oneOf: [text, whole] }, levels: SAME },
    {
      name: "is repeated",
      before: { oneOf: [ref("A"), whole] },
      after: { oneOf: [ref("A"), whole, ref("A")] },
      levels: SAME,
      components: [{ A: object({ a: text }) }],
    },
  ]);
});

/** Judges each row in both directions, forth and back. */
function testSchemaRows(rows: readonly SchemaRow[]): void {
  test.each(rows)("$name", async (row) => {
    expect(await judgeRow(row)).toEqual(row.levels);
  });
}
