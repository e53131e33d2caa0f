import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { API_KEY_PATTERN, generateApiKey, parseApiKey, secretHashesEqual } from "./key-format.ts";

describe("the key format", () => {
  it("is wmk_, 12 characters, _ and 39 characters, all base62, and parses to the stored values", () => {
    for (let i = 0; i < 200; i++) {
      const { rawKey, prefix, secretHash } = generateApiKey();
      expect(rawKey).toMatch(API_KEY_PATTERN);
      expect(rawKey).toMatch(/^wmk_[0-9A-Za-z]{12}_[0-9A-Za-z]{39}$/);
      const parsed = parseApiKey(rawKey);
      expect(parsed?.prefix).toBe(prefix);
      expect(secretHashesEqual(parsed?.secretHash ?? Buffer.alloc(0), secretHash)).toBe(true);
    }
  });

  it("never repeats, and uses every character in every position", () => {
    const keys = Array.from({ length: 3_000 }, () => generateApiKey().rawKey);
    expect(new Set(keys).size).toBe(keys.length);
    // 33 characters of 62 are 196 bits if all are equally likely; 0.9 of that leaves a wide margin.
    for (let index = 17; index < 50; index++) {
      expect(new Set(keys.map((key) => key.charAt(index))).size).toBe(62);
    }
  });

  it("refuses every key in which one character was changed", () => {
    const { rawKey } = generateApiKey();
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    for (let index = 0; index < rawKey.length; index++) {
      for (const other of alphabet) {
        if (other === rawKey.charAt(index)) continue;
        expect(parseApiKey(rawKey.slice(0, index) + other + rawKey.slice(index + 1))).toBeUndefined();
      }
    }
  });

  it("refuses all other texts", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        expect(parseApiKey(text)).toBeUndefined();
      }),
    );
    const { rawKey } = generateApiKey();
    for (const text of [
      `${rawKey}\n`,
      ` ${rawKey}`,
      `${rawKey}0`,
      rawKey.slice(0, -1),
      rawKey.toLowerCase(),
      "",
    ]) {
      expect(parseApiKey(text)).toBeUndefined();
    }
  });
});
