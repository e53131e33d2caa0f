import { describe, expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const SECRET = 'p@ss/w+rd "ü" & 100%';
const bytes = Buffer.from(SECRET);
const inForm = new URLSearchParams({ s: SECRET }).toString().slice(2);

describe("redaction by value", () => {
  test.each([
    ["raw", SECRET],
    ["as JSON", JSON.stringify(SECRET).slice(1, -1)],
    ["as JSON in JSON", JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    [
      "as ASCII JSON",
      JSON.stringify(SECRET)
        .slice(1, -1)
        .replace("ü", String.raw`\u00fc`),
    ],
    ["in a URL", encodeURIComponent(SECRET)],
    [
      "in a URL with small letters",
      encodeURIComponent(SECRET).replaceAll(/%../g, (hex) => hex.toLowerCase()),
    ],
    ["in a form", inForm],
    ["as base64", bytes.toString("base64")],
    ["as base64url", bytes.toString("base64url")],
    ["as hex", bytes.toString("hex")],
    ["as capital hex", bytes.toString("hex").toUpperCase()],
  ])("finds it %s", (_name, text) => {
    const redactor = createRedactor([SECRET]);
    expect(redactor.clean(`before ${text} after`)).toBe("before [redacted] after");
    expect(redactor.count()).toBe(1);
  });

  test.each(["", "a", "ab", "user:"])("finds it as base64 after %j", (prefix) => {
    const cleaned = createRedactor([SECRET]).clean(Buffer.from(`${prefix}${SECRET}!`).toString("base64"));
    expect(cleaned).toContain("[redacted]");
    const left = Buffer.from(cleaned.replace("[redacted]", ""), "base64").toString();
    expect(left).not.toContain(SECRET.slice(2, 6));
  });

  test("finds it in keys, in depth, and as a number; what has none is not copied", () => {
    const redactor = createRedactor([SECRET, "4711"]);
    const clean = { a: [1, { b: "x" }] };
    expect(redactor.clean(clean)).toBe(clean);
    expect(redactor.clean({ [SECRET]: [{ deep: SECRET }], n: 4711 })).toEqual({
      "[redacted]": [{ deep: "[redacted]" }],
      n: "[redacted]",
    });
  });

  test("a secret of regular expression characters is a text like any other", () => {
    expect(createRedactor(["(a+)+$", "."]).clean("x(a+)+$y.")).toBe("x[redacted]y[redacted]");
  });
});
