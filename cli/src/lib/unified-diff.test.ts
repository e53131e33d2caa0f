import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test-support/run-captured.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** The text of a file with this name after `git apply`. */
async function applied(before: string, diff: string, name: string): Promise<string> {
  const folder = await temporaryFolder();
  const file = await folder.write(name, before);
  await folder.write("change.diff", diff);
  execFileSync("git", ["apply", "--whitespace=nowarn", "change.diff"], { cwd: folder.path });
  return readFile(file, "utf8");
}

const LONG = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join("");

test.each([
  ["a line in the middle", LONG, LONG.replace("line 20\n", "line twenty\n")],
  ["two places far apart", LONG, LONG.replace("line 3\n", "").replace("line 35\n", "line 35\nnew\n")],
  ["the first and the last line", LONG, `first\n${LONG}last\n`],
  ["a last line that loses its break", "a\nb\n", "a\nb"],
  ["a last line that gets one", "a\nb", "a\nb\n"],
  ["windows' line breaks", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"],
  ["lines that move", "a\nb\nc\nd\n", "b\nc\nd\na\n"],
])("git applies the diff of %s", async (_, before, after) => {
  expect(await applied(before, unifiedDiff(before, after, "journey.yaml"), "journey.yaml")).toBe(after);
});

test("equal texts have no differences", () => {
  expect(unifiedDiff(LONG, LONG, "x")).toBe("");
});

test("a diff of fifty thousand changed lines replaces the whole text, and git applies it", async () => {
  const many = (word: string) => `${word}\n`.repeat(50_000);
  const before = `${many("a")}last`;
  const diff = unifiedDiff(before, many("b"), "journey.yaml");
  expect(diff).toContain("@@ -1,50001 +1,50000 @@");
  expect(await applied(before, diff, "journey.yaml")).toBe(many("b"));
});

test("git finds the file of a diff by a name in any alphabet", async () => {
  const name = "Bestellung für 東京.yaml";
  expect(await applied("a\n", unifiedDiff("a\n", "b\n", name), name)).toBe("b\n");
});
