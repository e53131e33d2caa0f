import { createSecretKey, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { seal, type SealedFor, unseal, UnsealError } from "./seal.ts";

const key = createSecretKey(randomBytes(32));
const IDENTITY: SealedFor = ["secret", "organization", "environment", "TOKEN", 3];

describe("a sealed value", () => {
  it("opens with what it was sealed for, whatever its bytes", () => {
    for (const text of ["", "x", "s3cret/ö🦊\n", "z".repeat(65_536)]) {
      const sealed = seal(key, Buffer.from(text), IDENTITY);
      expect(unseal(key, sealed, IDENTITY).toString()).toBe(text);
      expect(sealed.ciphertext.length).toBe(Buffer.byteLength(text) + 16);
    }
  });

  it.each<[string, SealedFor]>([
    ["organization", ["secret", "another", "environment", "TOKEN", 3]],
    ["environment", ["secret", "organization", "another", "TOKEN", 3]],
    ["name", ["secret", "organization", "environment", "token", 3]],
    ["version", ["secret", "organization", "environment", "TOKEN", 2]],
    ["kind", ["checkpoint", "organization", "environment", "TOKEN", 3]],
    // Joined without a separator, these would be the same.
    ["division of the same text", ["secret", "organization", "environmentT", "OKEN", 3]],
  ])("does not open for another %s", (_what, other) => {
    const sealed = seal(key, Buffer.from("value"), IDENTITY);
    expect(() => unseal(key, sealed, other)).toThrow(UnsealError);
  });

  it("does not open with another key", () => {
    const sealed = seal(key, Buffer.from("value"), IDENTITY);
    expect(() => unseal(createSecretKey(randomBytes(32)), sealed, IDENTITY)).toThrow(UnsealError);
  });

  it("does not open when any bit of the ciphertext, its tag or its nonce was changed, nor when it was cut", () => {
    const sealed = seal(key, Buffer.from("value"), IDENTITY);
    for (const part of ["ciphertext", "nonce"] as const) {
      for (let bit = 0; bit < sealed[part].length * 8; bit++) {
        const changed = Buffer.from(sealed[part]);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => unseal(key, { ...sealed, [part]: changed }, IDENTITY)).toThrow(UnsealError);
      }
    }
    for (let length = 0; length < sealed.ciphertext.length; length++) {
      const cut = { ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) };
      expect(() => unseal(key, cut, IDENTITY)).toThrow(UnsealError);
    }
  });

  it("has a nonce of its own each time, so that equal values look different", () => {
    const sealed = Array.from({ length: 1_000 }, () => seal(key, Buffer.from("value"), IDENTITY));
    expect(new Set(sealed.map(({ nonce }) => nonce.toString("hex"))).size).toBe(1_000);
    expect(new Set(sealed.map(({ ciphertext }) => ciphertext.toString("hex"))).size).toBe(1_000);
    expect(new Set(sealed.map(({ nonce }) => nonce.length))).toEqual(new Set([12]));
  });
});
