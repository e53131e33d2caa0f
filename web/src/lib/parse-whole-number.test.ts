import { describe, expect, it } from "vitest";
import { parseWholeNumber } from "./parse-whole-number.ts";

describe("a whole number", () => {
  it.each([
    ["0", 0],
    [" 24 ", 24],
    ["007", 7],
    ["168", 168],
  ])("is read from %j", (text, number) => {
    expect(parseWholeNumber(text, { min: 0, max: 168 })).toBe(number);
  });

  it.each(["", " ", "-1", "+1", "1.5", "1e2", "0x10", "169", "१", "9".repeat(16), "1 000", "NaN"])(
    "is not %j",
    (text) => {
      expect(parseWholeNumber(text, { min: 0, max: 168 })).toBeUndefined();
    },
  );
});
