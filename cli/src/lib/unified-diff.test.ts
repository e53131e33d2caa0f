import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test-support/run-captured.ts";
import { unifiedDiff } from "./unified-diff.ts";

const LONG = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join("");

test.each([
  ["a line in the middle", LONG, LONG.replace("line 20\n", "line twenty\n")],
  ["two places far apart", LONG, LONG.replace("line 3\n", "").replace("line 35\n", "line 35\nnew\n")],
  ["the first and the last line", LONG, `first\n${LONG}last\n`],
  ["a last line that loses its break", "a\nb\n", "a\nb"],
  ["a last line that gets one", "a\nb", "a\nb\n"],
  ["windows' line breaks", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"],
  ["lines that move", "a\nb\nc\nd\n", "b\nc\nd\na\n"],
])("the diff of %s leads git from one text to the other", async (_, before, after) => {
  const folder = await temporaryFolder();
  const file = await folder.write("journey.yaml", before);
  await folder.write("change.diff", unifiedDiff(before, after, "journey.yaml"));
  execFileSync("git", ["apply", "--whitespace=nowarn", "change.diff"], { cwd: folder.path });
  expect(await readFile(file, "utf8")).toBe(after);
});

test("texts that are equal have no differences", () => {
  expect(unifiedDiff(LONG, LONG, "x")).toBe("");
});

test("a text of fifty thousand changed lines is told as replaced instead of compared line by line", () => {
  const many = (word: string) => `${word}\n`.repeat(50_000);
  expect(unifiedDiff(many("a"), many("b"), "x")).toContain("@@ -1,50000 +1,50000 @@");
});
