import { expect, test } from "vitest";
import { type ExportFields, exportFileName, toCsv, toJson } from "./table-export.ts";

interface Row {
  path: string;
  count: number | null;
  tags: string[];
}
const FIELDS: ExportFields<Row> = {
  path: ({ path }) => path,
  count: ({ count }) => count,
  tags: ({ tags }) => tags,
};
const row = (path: string, count: number | null = 1, tags: string[] = []): Row => ({ path, count, tags });
/** The lines without the byte order mark and the header. */
const lines = (...rows: Row[]) => toCsv(FIELDS, rows).split("\r\n").slice(1, -1);

test("CSV begins with its encoding and its header, and has one line for each row", () => {
  expect(toCsv(FIELDS, [row("/größe", 2, ["a", "b"])])).toBe('\uFEFFpath,count,tags\r\n/größe,2,"a, b"\r\n');
  expect(toCsv(FIELDS, [])).toBe("\uFEFFpath,count,tags\r\n");
});

test("what CSV could read as more is quoted", () => {
  expect(lines(row('say "x", please', null))).toEqual(['"say ""x"", please",,']);
  expect(toCsv(FIELDS, [row("two\nlines")])).toContain('"two\nlines",1,');
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("https://evil.example")'])(
  "no text begins as a formula: %j",
  (text) => {
    const [cell = ""] = toCsv(FIELDS, [row(text)])
      .split("\r\n")
      .slice(1);
    expect(cell.replace(/^"/, "").startsWith("'")).toBe(true);
  },
);

test.each(["a;=1+1", "a|@SUM(A1)", "a\t+1", "a\n=1", 'a;"=1+1', "\uFF1D1"])(
  "no text begins as a formula after a separator of another locale: %j",
  (text) => {
    const cells = toCsv(FIELDS, [row(text)]).split(/[;|\t\n]/);
    for (const cell of cells) expect(cell.replace(/^"*/, "")).not.toMatch(/^[=+\-@\uFF1D]/);
  },
);

test("numbers stay numbers, also those below zero, and other texts stay as they are", () => {
  expect(lines(row("/a-b=c", -3))).toEqual(["/a-b=c,-3,"]);
  expect(lines(row("/a", 1, ["=x"]))).toEqual(["/a,1,'=x"]);
});

test("JSON has the values themselves", () => {
  const rows = [row("=1+1", null, ["a"])];
  expect(JSON.parse(toJson(FIELDS, rows))).toEqual(rows);
});

test("a file's name has no characters that a file system could refuse", () => {
  expect(exportFileName(["orders", "findings"], "csv")).toBe("waymark-orders-findings.csv");
  expect(exportFileName(["../a\\b:c\u202e", "x"], "json")).toBe("waymark-a-b-c-x.json");
  expect(exportFileName(["größe 1.2", ""], "csv")).toBe("waymark-größe-1.2.csv");
  expect(exportFileName(["x".repeat(500)], "csv").length).toBeLessThan(130);
});
