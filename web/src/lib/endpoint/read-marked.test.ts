import { expect, test } from "vitest";
import { readInline, readMarked } from "./read-marked.ts";

test("paragraphs, headings, lists and code are told apart", () => {
  const text = "# Books\nAll **books**\nof `GET /books`.\n\n- one\n  more\n2. two\n\n```json\n{}\n```\nend";
  expect(readMarked(text)).toEqual([
    { kind: "heading", parts: [{ kind: "text", text: "Books" }] },
    {
      kind: "paragraph",
      parts: [
        { kind: "text", text: "All " },
        { kind: "strong", text: "books" },
        { kind: "text", text: "\nof " },
        { kind: "code", text: "GET /books" },
        { kind: "text", text: "." },
      ],
    },
    { kind: "list", items: [[{ kind: "text", text: "one more" }], [{ kind: "text", text: "two" }]] },
    { kind: "code", text: "{}" },
    { kind: "paragraph", parts: [{ kind: "text", text: "end" }] },
  ]);
});

test("only addresses of web pages are links, and words that look like another address are replaced by it", () => {
  expect(readInline("[docs](https://a.example/x)")).toEqual([
    { kind: "link", text: "docs", href: "https://a.example/x" },
  ]);
  expect(readInline("[https://bank.example](https://evil.example/)")).toEqual([
    { kind: "link", text: "https://evil.example/", href: "https://evil.example/" },
  ]);
});

test.each([
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert)",
  "[x](data:text/html,hi)",
  "[x](/api/session)",
  "[x](//evil.example)",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[x](https://)",
])("%s stays text", (text) => {
  const parts = readInline(text);
  expect(parts.every(({ kind }) => kind === "text")).toBe(true);
  expect(parts.map((part) => part.text).join("")).toBe(text);
});

test("an image of another host is a link to it", () => {
  expect(readInline("![logo](https://evil.example/pixel.png)")).toEqual([
    { kind: "link", text: "logo", href: "https://evil.example/pixel.png" },
  ]);
});

test.each(["`", "*", "[", "](", "!["])("100,000 times %s is read at once", (part) => {
  expect(readMarked(part.repeat(100_000)).length).toBeLessThan(3);
});
