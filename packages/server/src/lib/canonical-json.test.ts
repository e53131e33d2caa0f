import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { compileFieldsReader } from "./canonical-json.ts";
import { boundedArray, text } from "@waymark/shared/lib/schema.ts";

const endpoint = { method: "GET", path: "/items", operationId: null, tags: ["a", "b"], summary: "s" };
const finding = { code: "c", severity: "high", message: "m", method: "GET", path: null };

/** Replacement values for fields: of every kind, at the limits and beyond. */
const VALUES: readonly unknown[] = [
  "GET",
  "get",
  "high",
  "",
  '\n\t\u0001\u001f\u007f\u2028é漢"\\/',
  "\0",
  "\ud800",
  "\udfff",
  null,
  true,
  0,
  -1.5,
  {},
  [],
  ["a"],
  ["a", ""],
  [null],
  [[]],
  [1],
  ...[120, 121, 200, 201, 300, 301, 500, 501, 1000, 1001, 2001].flatMap((length) =>
    ["a", "é", "漢", "😀", "\n", "\u0001"].map((character) => character.repeat(length)),
  ),
  ...[20, 21].map((length) => Array.from({ length }, () => "tag")),
];

/** Whether the reader takes the whole text of this object. */
function reads(schema: z.ZodObject, json: string): boolean {
  const body = Buffer.from(json);
  const end = compileFieldsReader(schema, "{", Object.keys(schema.shape))(body, 0);
  return end === body.byteLength - 1 && json.endsWith("}");
}

describe.each([
  ["an endpoint", NormalizedEndpoint, endpoint],
  ["a finding", NormalizedFinding, finding],
])("the reader of %s", (_name, schema, valid) => {
  const fields = Object.keys(valid);

  it("accepts exactly the values that the schema accepts", () => {
    const variants = fields.flatMap((field) => VALUES.map((value) => ({ ...valid, [field]: value })));
    const accepted = variants.filter((value) => schema.safeParse(value).success);
    expect(variants.filter((value) => reads(schema, JSON.stringify(value)))).toEqual(accepted);
    expect(accepted.length).toBeGreaterThan(100);
  });

  it("refuses a missing, an additional, a repeated and a moved field", () => {
    const json = JSON.stringify(valid);
    expect(reads(schema, json)).toBe(true);
    for (const field of fields) {
      const rest = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== field));
      const value = Reflect.get(valid, field) as unknown;
      expect(reads(schema, JSON.stringify(rest))).toBe(false);
      expect(reads(schema, JSON.stringify({ ...valid, other: value }))).toBe(false);
      expect(reads(schema, `${json.slice(0, -1)},${JSON.stringify({ [field]: value }).slice(1)}`)).toBe(
        false,
      );
      const moved = JSON.stringify(
        field === fields.at(-1) ? { [field]: value, ...rest } : { ...rest, [field]: value },
      );
      expect(reads(schema, moved)).toBe(false);
    }
  });

  it("refuses every text that differs from the canonical one, and ends if it is cut off at any byte", () => {
    const json = JSON.stringify({ ...valid, path: '/é"\n' });
    for (let index = 0; index < json.length; index++) {
      expect(reads(schema, json.slice(0, index))).toBe(false);
      const shorter = json.slice(0, index) + json.slice(index + 1);
      expect(reads(schema, shorter)).toBe(isCanonical(schema, shorter));
    }
    fc.assert(
      fc.property(
        fc.nat(json.length),
        fc.constantFrom(...Array.from(' \n\t\\"/,:[]{}u0\u0000\u0001é')),
        (index, character) => {
          const changed = json.slice(0, index) + character + json.slice(index);
          expect(reads(schema, changed)).toBe(isCanonical(schema, changed));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** The expected result, by parsing. */
function isCanonical(schema: z.ZodObject, json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    const keys = Object.keys(schema.shape).join();
    return (
      schema.safeParse(value).success &&
      Object.keys(value as object).join() === keys &&
      JSON.stringify(value) === json
    );
  } catch {
    return false;
  }
}

it("accepts exactly the escapes that `JSON.stringify` writes", () => {
  const schema = z.strictObject({ a: text({ min: 1, max: 1 }) });
  for (let code = 0; code < 0x100; code++) {
    const character = String.fromCharCode(code);
    expect(reads(schema, JSON.stringify({ a: character }))).toBe(code !== 0);
    for (const escape of [`\\u00${code.toString(16).padStart(2, "0")}`, `\\${character}`]) {
      const json = `{"a":"${escape}"}`;
      expect(reads(schema, json)).toBe(isCanonical(schema, json));
    }
  }
});

it("supports no other schemas", () => {
  for (const schema of [
    z.string(),
    z.number(),
    z.strictObject({}),
    text().optional(),
    z.any(),
    boundedArray(z.string().min(3), 5),
  ]) {
    expect(() => compileFieldsReader(z.strictObject({ a: schema }), "{", ["a"])).toThrow(
      "a canonical reader",
    );
  }
});
