import { expect, test } from "vitest";
import { linkParts } from "./link-parts.ts";

const links = (text: string) => linkParts(text).flatMap(({ href }) => (href === undefined ? [] : [href]));

test.each([
  ["see https://a.example/x.", ["https://a.example/x"]],
  ["(https://a.example/x)", ["https://a.example/x"]],
  ["https://a.example/Rust_(language), too", ["https://a.example/Rust_(language)"]],
  ["**https://a.example/x**\nhttp://b.example?q=1#f!", ["https://a.example/x", "http://b.example?q=1#f"]],
  ["[docs](https://a.example/x)", ["https://a.example/x"]],
  ['<a href="https://a.example/x">', ["https://a.example/x"]],
  ["javascript:alert(1) data:text/html,x //a.example ftp://a.example", []],
  ["https:// and https://. and http://[", []],
  ["https://bank.example@evil.example https://u:p@a.example", []],
  ["xhttps://a.example", []],
])("the addresses in %j are links, without the punctuation around them", (text, expected) => {
  expect(links(text)).toEqual(expected);
});

test("the parts together are the text", () => {
  for (const text of [
    "",
    "a",
    "a https://a.example. b\nhttps://b.example",
    "https://bank.example@evil.example x",
  ])
    expect(
      linkParts(text)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
});

test("punctuation after an address is read once, however much of it there is", () => {
  // With a pass for each bracket, this would not end in an hour.
  const address = `https://a.example/${".".repeat(50_000)}x`;
  expect(links(`${address}${")".repeat(50_000)}`)).toEqual([address]);
});
