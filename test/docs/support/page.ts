import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";

/** The text of a page, by its path in the repository. */
export function readPage(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** The pages for users and operators. ADRs and reports describe a moment, and may name what no longer exists. */
export const PAGES = [
  "README.md",
  "SECURITY.md",
  "cli/README.md",
  "docs/api-keys.md",
  "docs/architecture.md",
  "docs/how-a-journey-runs.md",
  "docs/how-a-scan-becomes-rows.md",
  "docs/command.md",
  "docs/environments.md",
  "docs/errors.md",
  "docs/http-interface.md",
  "docs/journeys.md",
  "docs/journeys-on-the-server.md",
  "docs/operations.md",
  "docs/pipelines.md",
];

/**
 * The rows of the page's only table whose header begins with these cells. A table that would be too wide is a list, whose
 * header is the line `_first · second: last_` before it, and whose entries have the same form.
 *
 * @throws Error if the page has no such table, or several
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

/** The texts in backticks in a cell or a page, without blocks of code. */
export function codesIn(text: string): string[] {
  return [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** The differences between a table and the code as a sentence; empty if there are none. */
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
