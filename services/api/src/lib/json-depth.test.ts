import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findExcessiveDepth } from "./json-depth.ts";

const find = (text: string, depthMax: number) => findExcessiveDepth(Buffer.from(text), depthMax);
const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;

describe("the depth of JSON text", () => {
  it("may be equal to the limit, and not larger", () => {
    expect(find(nested(64), 64)).toBeUndefined();
    expect(find(`[${nested(64)}]`, 64)).toBe(1 + 31 * 6 + 5);
    expect(find("[".repeat(5_000_000), 64)).toBe(64);
  });

  it("ignores brackets in strings, however they are escaped", () => {
    expect(find(String.raw`["[[[[", "\"[[[[", "\\", "\\\"{{{{", "é]", {"[[": 1}]`, 2)).toBeUndefined();
    expect(find(String.raw`["\\", [[1]]]`, 2)).toBe(8);
  });

  it("decreases with every closing bracket", () => {
    expect(find(`[${"[],".repeat(1000)}{}]`, 2)).toBeUndefined();
  });

  it("is that of the parsed value, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(9), (value, depthMax) => {
        const isDeeper = depthOf(value) > depthMax;
        expect(find(JSON.stringify(value), depthMax) !== undefined).toBe(isDeeper);
        expect(find(JSON.stringify(value, null, 2), depthMax) !== undefined).toBe(isDeeper);
      }),
    );
  });

  it("ends for text that is cut off", () => {
    for (const text of ['"', '"\\', '{"a', "", "["]) expect(find(text, 1)).toBeUndefined();
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
