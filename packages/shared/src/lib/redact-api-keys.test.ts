import { describe, expect, it } from "vitest";
import { containsApiKey, redactApiKeys } from "./redact-api-keys.ts";

const SECRET = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T";
const KEY = `wmk_abcdefghijkl_${SECRET}`;

describe("redactApiKeys", () => {
  it("keeps the public prefix and removes every occurrence of the secret", () => {
    const text = redactApiKeys(`GET /api?key=${KEY}&x=${KEY}" in "${KEY}`);
    expect(text).not.toContain(SECRET);
    expect(text.match(/wmk_abcdefghijkl_\[redacted\]/g)).toHaveLength(3);
  });

  it("removes a key that was cut short or has something appended", () => {
    expect(redactApiKeys(KEY.slice(0, -10))).toBe("wmk_abcdefghijkl_[redacted]");
    expect(redactApiKeys(`${KEY}abc`)).toBe("wmk_abcdefghijkl_[redacted]");
  });

  it("removes a session's token", () => {
    const token = `wms_${"aB-_0".repeat(8)}xyz`;
    expect(redactApiKeys(`cookie=${token}; ${KEY}`)).toBe(
      "cookie=wms_[redacted]; wmk_abcdefghijkl_[redacted]",
    );
    expect(containsApiKey(token)).toBe(true);
  });

  it("removes a badge's token from its address", () => {
    const link = `wml_${"aB-_".repeat(11)}`;
    expect(redactApiKeys(`GET /shared/run#${link}`)).toBe("GET /shared/run#wml_[redacted]");
    const token = `wmb_${"aB-_".repeat(8)}`;
    expect(redactApiKeys(`GET /badge/1.svg?token=${token}&x=1`)).toBe(
      "GET /badge/1.svg?token=wmb_[redacted]&x=1",
    );
    expect(containsApiKey(token)).toBe(true);
  });

  it("leaves everything else alone", () => {
    for (const text of ["", "wmk_abcdefghijkl", "wmk_ and more", "wms_ and more", "a line of a log"]) {
      expect(redactApiKeys(text)).toBe(text);
      expect(containsApiKey(text)).toBe(false);
    }
    expect(containsApiKey(KEY)).toBe(true);
  });
});
