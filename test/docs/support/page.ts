import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";

/** The text of a page, by its path in the repository. */
export function readPage(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** The pages that users and operators read; ADRs and reports tell of a moment and may name what is gone. */
export const PAGES = [
  "README.md",
  "SECURITY.md",
  "cli/README.md",
  "docs/api-keys.md",
  "docs/architecture.md",
  "docs/errors.md",
  "docs/journeys.md",
  "docs/operations.md",
  "docs/pipelines.md",
];

/**
 * The rows of the page's one table whose head begins with these cells. What is too wide for a table is a list, whose head is
 * the line `_first · second: last_` before it and whose entries have the same form.
 *
 * @throws Error where the page has no such table, or several
 */
export function tableRows(file: string, head: readonly string[]): string[][] {
  const lines = readPage(file)
    // An entry of a list may take several lines.
    .replaceAll(/(?<=^(?:- |  ).*)\n {2}(?=\S)/gm, " ")
    .split("\n")
    .map(cellsOf);
  const heads = lines.flatMap((cells, at) =>
    head.every((cell, index) => cells[index] === cell) ? [at] : [],
  );
  const [at] = heads;
  if (at === undefined || heads.length > 1) {
    throw new Error(
      `${file} must have one table with the head "${head.join(" | ")}": it has ${heads.length}.`,
    );
  }
  const below = lines.slice(at + 2);
  return below.slice(
    0,
    below.findIndex((cells) => cells.length === 0),
  );
}

/** What stands in backticks in a cell or a page; blocks of code don't count. */
export function codesIn(text: string): string[] {
  return [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** Where a table and the code differ, as a sentence; empty where they agree. */
export function difference(table: string, documented: Iterable<string>, inCode: Iterable<string>): string {
  const [shown, real] = [new Set(documented), new Set(inCode)];
  const lacking = [...real].filter((each) => !shown.has(each));
  const unknown = [...shown].filter((each) => !real.has(each));
  const sentences = [
    ...(lacking.length === 0 ? [] : [`${table} lacks ${lacking.join(", ")}.`]),
    ...(unknown.length === 0 ? [] : [`${table} has ${unknown.join(", ")}, which the code does not have.`]),
  ];
  return sentences.join(" ");
}

function cellsOf(line: string): string[] {
  const entry = /^(?:- (?<entry>.+)|_(?<legend>.+)_)$/.exec(line)?.groups;
  if (entry !== undefined) {
    const [, first = "", last] = /^(.*?)(?:: (.*))?$/.exec(entry["entry"] ?? entry["legend"] ?? "") ?? [];
    return [...first.split(" · "), ...(last === undefined ? [] : [last])];
  }
  if (!line.startsWith("|")) return [];
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
