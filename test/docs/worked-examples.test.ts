import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { readPage } from "./support/page.ts";

const EXAMPLES = [
  { title: "A field of a run", filesMax: 8 },
  { title: "A rate limit", filesMax: 4 },
  { title: "A format of a journey's report", filesMax: 4 },
];

const page = readPage("docs/worked-examples.md");

/** The diff below a heading: the lines of each file. A line without a sign names the next file. */
function diffOf(title: string): { file: string; lines: string[] }[] {
  const [, section = ""] = page.split(`## ${title}\n`);
  const [, diff = ""] = /^```diff\n([^]*?)^```$/m.exec(section) ?? [];
  const files: { file: string; lines: string[] }[] = [];
  for (const line of diff.split("\n").filter((text) => text !== "")) {
    if (/^[-+@]/.test(line)) files.at(-1)?.lines.push(line);
    else files.push({ file: line, lines: [] });
  }
  return files;
}

/** The mismatches of the diff and a file: removed lines and context that the file lacks, or a new file that exists. */
function outdated({ file, lines }: { file: string; lines: string[] }): string[] {
  const exists = existsSync(path.join(root, file));
  if (lines.every((line) => line.startsWith("+")))
    return exists || !comesLast(file) ? [`${file}: name it after the last one`] : [];
  const current = exists ? readFileSync(path.join(root, file), "utf8").split("\n") : [];
  const missing = lines.filter((line) => {
    if (line.startsWith("-")) return !current.includes(line.slice(1));
    return line.startsWith("@@ ") && !current.some((text) => text.startsWith(line.slice(3)));
  });
  return missing.map((line) => `${file} lacks ${line}`);
}

/** Whether a new migration has the next number; true for other files. */
function comesLast(file: string): boolean {
  if (!file.endsWith(".sql")) return true;
  return readdirSync(path.join(root, path.dirname(file))).every((name) => name < path.basename(file));
}

describe.each(EXAMPLES)("the diff of $title", ({ title, filesMax }) => {
  it("fits the files as they are: if one has changed, make the example again", () => {
    expect(diffOf(title).flatMap(outdated)).toEqual([]);
  });

  it(`changes at most ${filesMax} source files`, () => {
    const files = diffOf(title);
    expect(files.length).toBeGreaterThan(1);
    expect(files.length).toBeLessThanOrEqual(filesMax);
  });
});
