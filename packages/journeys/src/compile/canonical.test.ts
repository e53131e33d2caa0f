import { describe, expect, test } from "vitest";
import { pureSha256 } from "./artifact.ts";
import { canonicalJson } from "./canonical.ts";

describe("canonical JSON (RFC 8785)", () => {
  test("writes numbers and strings as section 3.2.2 does", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("sorts keys by UTF-16 code units, as section 3.2.3 does", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
    expect([...canonicalJson(value).matchAll(/:(\d)/g)].map((match) => match[1]).join("")).toBe("2467153");
  });

  test("refuses what is no I-JSON", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "\ud800", () => 1]) {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    }
  });

  test("is hashed as every SHA-256 does", () => {
    expect(pureSha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
