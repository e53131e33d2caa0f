import { describe, expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const SECRET = 'p@ss/w+rd "ü" & 100%';
const bytes = Buffer.from(SECRET);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const ascii = (text: string): string => json(text).replaceAll("ü", String.raw`\u00fc`);
const url = encodeURIComponent;
const lower = (text: string): string => text.replaceAll(/%../g, (escape) => escape.toLowerCase());
const eachByte = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join("");
const html = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("/", "&#x2F;").replaceAll("ü", "&uuml;");
const decimal = (text: string): string =>
  Array.from(text)
    .map((char) => `&#${char.codePointAt(0)};`)
    .join("");

/** The secret as servers return it, by the name of the encoding. */
const WRITTEN: Record<string, string> = {
  raw: SECRET,
  json: json(SECRET),
  "json in json": json(json(SECRET)),
  "json of ascii": ascii(SECRET),
  "json with escaped slashes": json(SECRET).replaceAll("/", String.raw`\/`),
  url: url(SECRET),
  "url in small letters": lower(url(SECRET)),
  "url of latin 1": url(SECRET).replace("%C3%BC", "%FC"),
  "url twice": url(url(SECRET)),
  "url three times": url(url(url(SECRET))),
  form: new URLSearchParams({ s: SECRET }).toString().slice(2),
  "form in a url": url(new URLSearchParams({ s: SECRET }).toString().slice(2)),
  "every character in a url": eachByte(SECRET),
  "every character in a url, twice": url(eachByte(SECRET)),
  "json in a url": url(json(SECRET)),
  "json of ascii in a url": url(ascii(SECRET)),
  html: html(SECRET),
  "html in json": json(html(SECRET)),
  "json in html": html(json(SECRET)),
  "html by number": decimal(SECRET),
  "html in a url": url(html(SECRET)),
  "script escapes": Array.from(SECRET)
    .map((char) => String.raw`\x` + (char.codePointAt(0) ?? 0).toString(16))
    .join(""),
  "url by escape()": SECRET.replaceAll(
    /[^a-z]/g,
    (char) => `%u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  ),
  base64: bytes.toString("base64"),
  base64url: bytes.toString("base64url"),
  "base64 in a url": url(bytes.toString("base64")),
  "base64 twice": Buffer.from(bytes.toString("base64")).toString("base64"),
  hex: bytes.toString("hex"),
  "capital hex": bytes.toString("hex").toUpperCase(),
};

describe("redaction by value", () => {
  test.each(Object.entries(WRITTEN))("finds it as %s", (_name, text) => {
    const redactor = createRedactor([SECRET]);
    expect(redactor.clean(`before ${text} after`)).toMatch(/^before (?:\[redacted\]=*)+ after$/);
    expect(redactor.count()).toBe(1);
  });

  test.each(["", "a", "ab", "user:", '{"token":"'])("finds it as base64 after %j", (prefix) => {
    for (const text of [SECRET, json(SECRET), url(SECRET)]) {
      const cleaned = createRedactor([SECRET]).clean(Buffer.from(`${prefix}${text}"!`).toString("base64"));
      expect(cleaned).toContain("[redacted]");
      const left = Buffer.from(cleaned.replace("[redacted]", ""), "base64").toString();
      expect(left).not.toContain(text.slice(2, 6));
    }
  });

  test("a secret that looks like an escape is found raw and escaped", () => {
    const secret = String.raw`a%41&amp;\n"z`;
    for (const text of [secret, json(secret), url(secret), html(secret), url(json(secret))]) {
      expect(createRedactor([secret]).clean(`<${text}>`)).toBe("<[redacted]>");
    }
  });

  test("finds it in keys, nested, and as a number; values without it are not copied", () => {
    const redactor = createRedactor([SECRET, "4711"]);
    const clean = { a: [1, { b: "x" }] };
    expect(redactor.clean(clean)).toBe(clean);
    expect(redactor.clean({ [SECRET]: [{ deep: SECRET }], n: 4711 })).toEqual({
      "[redacted]": [{ deep: "[redacted]" }],
      n: "[redacted]",
    });
  });

  test("a secret that is added later is found from then on", () => {
    const redactor = createRedactor();
    expect(redactor.clean("a token")).toBe("a token");
    expect(redactor.add("token")).toBe(true);
    expect(redactor.clean("a token")).toBe("a [redacted]");
    expect(redactor.add("token")).toBe(false);
  });

  test("a secret of fewer than four characters is ignored, because it would match everywhere", () => {
    expect(createRedactor(["1", "abc"]).clean({ text: "abc 1", n: 1 })).toEqual({ text: "abc 1", n: 1 });
  });

  test("overlapping secrets are redacted completely", () => {
    expect(createRedactor(["abcdef", "defghi", "cdefg"]).clean("x abcdefghi y")).toBe("x [redacted] y");
  });
});

test("a secret of a megabyte is redacted completely, soon, and what is behind it", () => {
  const token = "t".repeat(1_000_000);
  const redactor = createRedactor([token]);
  const start = performance.now();
  for (const written of [token, `${url(token)}%20`, Buffer.from(token).toString("base64")]) {
    expect(redactor.clean(`before ${written} after`)).toBe("before [redacted]");
    expect(redactor.cut(`before ${written} after`, 16_384)).toBe("before [redacted]…");
  }
  expect(redactor.clean("before ttt after")).toBe("before ttt after");
  // Half a second; comparing each position with all of it would take hours.
  expect(performance.now() - start).toBeLessThan(30_000);
});

describe("a text that is cut", () => {
  const LONG = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";

  test.each([LONG, url(`"${LONG}"`), eachByte(LONG), decimal(LONG)])(
    "holds no beginning of %s",
    (written) => {
      const redactor = createRedactor([LONG, `"${LONG}"`]);
      for (let max = 1; max < written.length + 20; max++) {
        const cut = redactor.cut(`before ${written} after`, max);
        expect(`before [redacted] after`.startsWith(cut.replace(/…$/, ""))).toBe(true);
      }
    },
  );

  test("holds no beginning of a secret that becomes known later, and one that others end with … is ordinary text", () => {
    const redactor = createRedactor();
    const cuts = [20, 30, 54].map((max) => redactor.cut(`before "${LONG}" after`, max));
    redactor.add(LONG);
    for (const cut of cuts)
      expect(redactor.clean(`it is ${cut}, not x`)).toBe('it is before "[redacted]…, not x');
    for (let end = 4; end < LONG.length; end++) {
      for (const text of [`${LONG.slice(0, end)}…`, `is ${LONG.slice(0, end)}… and more`])
        expect(redactor.clean(text)).toBe(text);
    }
  });

  test("by its sender may end with the beginning of a secret", () => {
    const redactor = createRedactor([SECRET, LONG]);
    for (const text of [LONG, json(SECRET), url(SECRET), html(SECRET)]) {
      for (let end = 6; end < text.length; end++)
        expect(redactor.cut(`is ${text.slice(0, end)}`, 1_000, { isPartial: true })).toBe("is [redacted]…");
    }
  });
});
