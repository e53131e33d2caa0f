import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test-support/run-captured.ts";
import { readRows } from "./rows.ts";

async function rowsOf(bytes: string | Buffer) {
  const folder = await temporaryFolder();
  await folder.write("rows.csv", bytes);
  const rows = await readRows({ cwd: folder.path, openStdin: () => process.stdin }, "rows.csv");
  return rows.map((row) => ("texts" in row ? Object.fromEntries(row.texts) : row.values));
}

const MILK = [
  { title: "Milk", stars: "3" },
  { title: "Bread", stars: "4" },
];
const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();

test.each<[string, string | Buffer]>([
  ["commas", "title,stars\nMilk,3\nBread,4\n"],
  ["semicolons", "title;stars\r\nMilk;3\r\nBread;4\r\n"],
  ["semicolons and a byte order mark", "\uFEFFtitle;stars\nMilk;3\nBread;4"],
  ["tabs", "title\tstars\nMilk\t3\nBread\t4\n"],
  ["vertical bars", "title|stars\nMilk|3\nBread|4\n"],
  ["a line that names the separator", "sep=;\r\ntitle;stars\r\nMilk;3\r\nBread;4\r\n"],
  ["a line that names the separator, quoted", '"sep=;"\ntitle;stars\nMilk;3\nBread;4\n'],
  ["a separator that only such a line names", "SEP=^\ntitle^stars\nMilk^3\nBread^4\n"],
  ["line breaks of old Macs", "title;stars\rMilk;3\rBread;4\r"],
  ["empty lines", "\n\r\ntitle;stars\n\nMilk;3\n\n\nBread;4\n\n"],
  ["lines of empty cells", "title;stars\nMilk;3\n;\nBread;4\n;\n;\n"],
  ["quoted names", '"title";"stars"\n"Milk";3\nBread;"4"\n'],
  ["spaces around names", " title ; stars \nMilk;3\nBread;4\n"],
  ["UTF-16", Buffer.from("\uFEFFtitle\tstars\r\nMilk\t3\r\nBread\t4\r\n", "utf16le")],
  ["UTF-16, big end first", bigEndian("\uFEFFtitle;stars\nMilk;3\nBread;4\n")],
])("CSV with %s gives the same rows", async (_name, bytes) => {
  expect(await rowsOf(bytes)).toEqual(MILK);
});

test("a quoted cell keeps separators, quotes and line breaks, and an unquoted one the other separators", async () => {
  expect(await rowsOf('title;stars\n"a;""b""\r\nc";"3,5"\nx, y | z;4\n')).toEqual([
    { title: 'a;"b"\r\nc', stars: "3,5" },
    { title: "x, y | z", stars: "4" },
  ]);
  expect(await rowsOf("title\na;b\n")).toEqual([{ title: "a;b" }]);
  expect(await rowsOf('"a;b",c\n1,2\n')).toEqual([{ "a;b": "1", c: "2" }]);
});

test("integers of a JSON file keep their text", async () => {
  expect(await rowsOf('[{"id": 12345678901234567890}]')).toEqual([{ id: 12_345_678_901_234_567_890n }]);
});

test.each<[string, string | Buffer, string]>([
  ["two separators in the header", "a,b;c\n1,2;3\n", "rows.csv:1: the header contains commas and semicolons"],
  ["two separators below empty lines", "\n\na;b\tc\n", "rows.csv:3: the header contains semicolons and tabs"],
  ["a repeated name", "a;b;a\n1;2;3\n", 'rows.csv:1: column 3 has the name of column 1, "a".'],
  ["an empty name", "a;b;\n1;2;3\n", "rows.csv:1: column 3 has no name."],
  ["a missing cell", "a;b;c\n1;2\n", 'there are 2 cells, and 3 columns. Column 3, "c", has no cell'],
  [
    "a cell too many",
    "sep=;\na;b\n1;2\n1;2;3\n",
    'rows.csv:4: there are 3 cells, and 2 columns. Quote a cell that contains ";"',
  ],
  ["a quote within a cell", 'a;b\n1;x"y\n', "rows.csv:2: column 2: a cell with a quote in it"],
  ["a quote that is never closed", 'a;b\n1;2\n3;"4\n\n', "rows.csv:3: column 2: a cell with a quote in it"],
  [
    "letters of Windows",
    Buffer.concat([Buffer.from("a;b\n1;\uFFFD\n2;x\n3;Z"), Buffer.of(0xfc)]),
    "rows.csv:4: this is not text in UTF-8. Save",
  ],
  ["UTF-16 without a mark", Buffer.from("a;b\n1;2\n", "utf16le"), "rows.csv:1: there is a NUL character"],
  [
    "half a character of UTF-16",
    Buffer.concat([Buffer.from("\uFEFFa\n1", "utf16le"), Buffer.of(0x31)]),
    "rows.csv: this is not text in UTF-16.",
  ],
  ["a missing colon in JSON", '[{"a": 1},\n {"b" 2}]', "rows.csv:2:7: this is not valid JSON."],
])("a data file with %s is refused with its place", async (_name, bytes, message) => {
  await expect(rowsOf(bytes)).rejects.toThrow(message);
});
