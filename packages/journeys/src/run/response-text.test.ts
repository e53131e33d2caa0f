import { expect, test } from "vitest";
import { createRedactor } from "../secrets/redact.ts";
import { isText, readText } from "./response-text.ts";

const latin = (text: string) => Buffer.from(text, "latin1");
const wide = (text: string) => Buffer.from(text, "utf16le");
const XML = (encoding: string, quote = '"') =>
  `<?xml version="1.0" encoding=${quote}${encoding}${quote}?><ort>Köln</ort>`;

test.each<[string, Buffer, string, string]>([
  ["the charset of Content-Type", latin("Café"), "text/plain; charset=iso-8859-1", "Café"],
  ["a charset in capitals and quotes", latin("Café"), 'TEXT/PLAIN;CHARSET="ISO-8859-1"', "Café"],
  ["a charset in single quotes and spaces", latin("Café"), "text/plain ; charset = 'Latin1' ; q=1", "Café"],
  [
    "the charset behind another parameter",
    latin("Café"),
    'text/csv; header="a"; charset=windows-1252',
    "Café",
  ],
  ["characters that only Windows has", latin("\x80\x92"), "text/plain; charset=ISO-8859-1", "€’"],
  ["Cyrillic of DOS", Buffer.from("92A5E1E2", "hex"), "text/plain;charset=cp866", "Тест"],
  ["Japanese", Buffer.from("83658358836782CC", "hex"), "text/plain; charset=Shift_JIS", "テストの"],
  ["Chinese", Buffer.from("C4E3BAC3", "hex"), "text/html; charset=gb2312", "你好"],
  ["UTF-16 of Content-Type", wide("Köln"), "text/plain; charset=utf-16le", "Köln"],
  [
    "a charset of a type that is otherwise binary",
    latin("Café"),
    "application/x-thing; charset=latin1",
    "Café",
  ],
  ["a byte order mark", Buffer.from("\uFEFFKöln"), "text/plain", "Köln"],
  ["a byte order mark against Content-Type", Buffer.from("\uFEFFKöln"), "text/plain; charset=latin1", "Köln"],
  ["a byte order mark of UTF-16", wide("\uFEFFKöln"), "text/csv", "Köln"],
  ["a byte order mark of UTF-16, big end first", wide("\uFEFFKöln").swap16(), "text/csv", "Köln"],
  ["an XML declaration", latin(XML("ISO-8859-1")), "application/xml", XML("ISO-8859-1")],
  [
    "an XML declaration in single quotes",
    latin(XML("latin1", "'")),
    "application/soap+xml",
    XML("latin1", "'"),
  ],
  [
    "Content-Type against an XML declaration",
    Buffer.from(XML("ISO-8859-1")),
    "text/xml;charset=utf-8",
    XML("ISO-8859-1"),
  ],
  ["an XML declaration in UTF-16", wide(XML("UTF-16")), "application/xml", XML("UTF-16")],
  ["an XML declaration of UTF-16 in UTF-8", Buffer.from(XML("UTF-16")), "application/xml", XML("UTF-16")],
  ["the meta of a page", latin("<meta charset=latin1><p>é"), "text/html", "<meta charset=latin1><p>é"],
  [
    "the meta of an old page",
    latin('<META http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>é'),
    "text/html",
    '<META http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>é',
  ],
  [
    "no meta within a comment",
    Buffer.from("<!-- <meta charset=latin1> -->é"),
    "text/html",
    "<!-- <meta charset=latin1> -->é",
  ],
  ["no meta in a text", Buffer.from("<meta charset=latin1>é"), "text/plain", "<meta charset=latin1>é"],
  ["UTF-8 without any", Buffer.from("Köln"), "text/plain", "Köln"],
  ["UTF-8 without Content-Type", Buffer.from("Köln"), "", "Köln"],
  ["UTF-8 for JSON", Buffer.from('{"a":"é"}'), "application/json; charset=iso-8859-1", '{"a":"é"}'],
  [
    "UTF-8 for JSON of another name",
    Buffer.from('{"a":"é"}'),
    "application/hal+json;charset=latin1",
    '{"a":"é"}',
  ],
  ["a byte order mark of JSON", Buffer.from("\uFEFF[1]"), "application/json", "[1]"],
  ["a replacement character that the server sent", Buffer.from("a\uFFFDb"), "text/plain", "a\uFFFDb"],
])("the text of a body is read by %s", (_name, bytes, mediaType, text) => {
  expect(readText(bytes, mediaType)).toEqual({ text, notes: [] });
});

test.each<[string, Buffer, string, string, string]>([
  [
    "an unknown charset",
    Buffer.from("é"),
    "text/plain; charset=utf-7",
    "é",
    'The charset "utf-7" of the response is not known',
  ],
  [
    "a charset of XML that is not known",
    Buffer.from(XML("ebcdic")),
    "text/xml",
    XML("ebcdic"),
    'The charset "ebcdic"',
  ],
  ["bytes that are not UTF-8", latin("aé"), "text/plain", "a\uFFFD", "its byte 2 is 0xE9"],
  [
    "such bytes in JSON",
    latin('{"é":1}'),
    "application/json; charset=latin1",
    '{"\uFFFD":1}',
    "its byte 3 is 0xE9, and what can't be read is shown as U+FFFD. JSON is sent in UTF-8",
  ],
  [
    "such bytes behind sent replacement characters",
    Buffer.concat([Buffer.from("\uFFFD€"), Buffer.of(0xff)]),
    "text/plain",
    "\uFFFD€\uFFFD",
    "its byte 7 is 0xFF",
  ],
  [
    "bytes that are not of the charset",
    Buffer.of(0x83),
    "text/plain; charset=shift_jis",
    "\uFFFD",
    "is not valid shift_jis",
  ],
  [
    "JSON in UTF-16",
    wide('\uFEFF{"a":1}'),
    "application/json",
    '{"a":1}',
    "The body of the response is JSON in UTF-16.",
  ],
  [
    "JSON in UTF-16 without a mark",
    wide('{"a":1}').swap16(),
    "application/json;charset=utf-16",
    '{"a":1}',
    "JSON in UTF-16",
  ],
])("the step says %s", (_name, bytes, mediaType, text, note) => {
  const read = readText(bytes, mediaType);
  expect(read.text).toBe(text);
  expect(read.notes).toEqual([expect.stringContaining(note)]);
});

test("bytes of a binary body, and a character that was cut, are no fault", () => {
  expect(readText(Buffer.of(0xff, 0xd8, 0xff), "image/jpeg").notes).toEqual([]);
  expect(readText(Buffer.of(0xff, 0xfe, 0x00), "application/octet-stream").notes).toEqual([]);
  expect(readText(Buffer.from("aé").subarray(0, 2), "text/plain", { isCut: true })).toEqual({
    text: "a",
    notes: [],
  });
});

test.each(["utf-16le", "utf-16be", "shift_jis", "gbk", "big5", "euc-kr", "iso-2022-jp"])(
  "a charset of %s does not hide a secret that the body contains",
  (charset) => {
    const secret = "kq7Zx3Wm9Tb5kq7Z";
    for (const lead of ["", "\x81", "\xFE", "\x1B$B"]) {
      const bytes = latin(`you sent: ${lead}${secret} `);
      const redactor = createRedactor([secret]);
      const { text } = readText(bytes, `text/plain; charset=${charset}`, { redactor });
      expect(redactor.clean(text)).toContain("[redacted]");
    }
  },
);

test.each([
  ["application/problem+json; charset=utf-8", true],
  ["image/svg+xml", true],
  ["application/vnd.oai.openapi+yaml", true],
  ["application/x-ndjson", true],
  ["application/pdf", false],
  ["image/png", false],
])("%s is text: %s", (mediaType, expected) => {
  expect(isText(mediaType)).toBe(expected);
});
