import { describe, expect, it } from "vitest";
import { z } from "zod";
import { NormalizedEndpoint, NormalizedFinding } from "../scans/schema.ts";
import { compileFastValidator, jsonTextIsStorable } from "./fast-validator.ts";
import { boundedArray, text } from "./schema.ts";

const endpoint = { method: "GET", path: "/items", operationId: null, tags: ["a", "b"], summary: "s" };
const finding = { code: "c", severity: "high", message: "m", method: "GET", path: null };

/** Values that fields are replaced by: of every kind, at the limits and beyond them. */
const VALUES: readonly unknown[] = [
  "GET",
  "get",
  "high",
  "",
  "/x",
  null,
  true,
  0,
  -1.5,
  {},
  [],
  ["a"],
  [null],
  [[]],
  [1],
  { length: 1 },
  ...[120, 121, 200, 201, 300, 301, 500, 501, 1000, 1001, 2001].flatMap((length) => [
    "a".repeat(length),
    "😀".repeat(length / 2),
    "😀".repeat(length),
  ]),
  ...[20, 21].map((length) => Array.from({ length }, () => "tag")),
];

/** Each field replaced by each value or left out, one field more, and things that are no object. */
function variants(valid: Record<string, unknown>): unknown[] {
  const fields = Object.keys(valid);
  const replaced = fields.flatMap((field) => VALUES.map((value) => ({ ...valid, [field]: value })));
  const without = fields.map((field) =>
    Object.fromEntries(Object.entries(valid).filter(([name]) => name !== field)),
  );
  const renamed = without.map((rest) => ({ ...rest, other: "x" }));
  const more = [{ ...valid, other: null }, JSON.parse(`{"__proto__": 1, ${JSON.stringify(valid).slice(1)}`)];
  return [valid, ...replaced, ...without, ...renamed, ...more, ...VALUES, [valid]];
}

describe.each([
  ["endpoints", NormalizedEndpoint, endpoint],
  ["findings", NormalizedFinding, finding],
])("the quick look at %s", (_name, schema, valid) => {
  const isValidFast = compileFastValidator(schema);

  it("says yes to nothing that the schema refuses or changes", () => {
    const taken = variants(valid).filter(isValidFast);
    expect(taken.length).toBeGreaterThan(20);
    expect(taken.map((value) => schema.safeParse(value))).toEqual(
      taken.map((data) => ({ success: true, data })),
    );
  });

  it("says yes to what the schema takes, as long as it has no character of two UTF-16 units at a limit", () => {
    const taken = variants(valid).filter((value) => schema.safeParse(value).success);
    const missed = taken.filter((value) => !isValidFast(value));
    expect(taken.length).toBeGreaterThan(20);
    expect(missed.every((value) => JSON.stringify(value).includes("😀"))).toBe(true);
    expect(missed.length).toBeLessThan(taken.length / 4);
  });
});

it("says no to what it does not understand", () => {
  for (const schema of [
    z.string(),
    z.number(),
    z.strictObject({ a: z.unknown() }),
    text().optional(),
    z.any(),
  ]) {
    expect(compileFastValidator(schema)("a")).toBe(false);
    expect(compileFastValidator(z.strictObject({ a: schema }))({ a: "a" })).toBe(false);
  }
  expect(compileFastValidator(z.object({ a: text() }))({ a: "a" })).toBe(false);
  expect(compileFastValidator(boundedArray(z.string().min(3), 5))(["a"])).toBe(false);
});

it("is for JSON texts that write no character as an escape", () => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  expect(jsonTextIsStorable(json({ path: "/ä😀\\n", summary: 'a "b"\n' }))).toBe(true);
  for (const character of ["\0", "\ud800", "\udfff"]) {
    expect(jsonTextIsStorable(json({ path: `a${character}` }))).toBe(false);
    expect(jsonTextIsStorable(json({ [character]: 1 }))).toBe(false);
  }
});
