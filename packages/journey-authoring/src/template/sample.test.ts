import { expect, test } from "vitest";
import { sampleOf } from "./sample.ts";

/** Ten schemas; each has ten required properties, which are all the next schema. */
const WIDE_AND_DEEP = {
  components: {
    schemas: Object.fromEntries(
      Array.from({ length: 10 }, (_, level) => {
        const names = "a b c d e f g h i j".split(" ");
        const next = level === 9 ? { type: "string" } : { $ref: `#/components/schemas/s${level + 1}` };
        return [
          `s${level}`,
          { required: names, properties: Object.fromEntries(names.map((name) => [name, next])) },
        ];
      }),
    ),
  },
};

test("a sample is small, however many values its schema describes", () => {
  const sample = sampleOf(WIDE_AND_DEEP, { $ref: "#/components/schemas/s0" });
  expect(JSON.stringify(sample).length).toBeLessThan(200_000);
  expect(sampleOf({}, { type: "array", minItems: 1_000_000_000, items: { type: "boolean" } })).toEqual([
    true,
  ]);
});

test("a reference that leads nowhere, or back to itself, gives no value and no error", () => {
  const root = { components: { schemas: { loop: { $ref: "#/components/schemas/loop" } } } };
  expect(sampleOf(root, { $ref: "#/components/schemas/none" })).toBeNull();
  expect(sampleOf(root, { $ref: "#/components/schemas/loop" })).toBeNull();
});
