import { existsSync } from "node:fs";
import path from "node:path";

const TABLE_COLUMNS_MAX = 120;

/** What is wrong with the form of a Markdown page, a line for each fault. `file` is relative to `root`. */
export function pageFaults(text: string, { file, root }: { file: string; root: string }): string[] {
  const lines = text.replaceAll(/^( *```)[^]*?^\1/gm, (block) => block.replaceAll(/[^\n]/g, "")).split("\n");
  return lines.flatMap((line, index) => {
    const at = `${file}:${index + 1}:`;
    const isWide = line.startsWith("|") && line.length > TABLE_COLUMNS_MAX;
    const broken = linksIn(line).filter((link) => !existsSync(path.join(root, path.dirname(file), link)));
    return [
      ...(isWide
        ? [
            `${at} a table of ${line.length} columns, at most ${TABLE_COLUMNS_MAX}: shorten its cells or make it a list`,
          ]
        : []),
      ...broken.map((link) => `${at} a link to ${link}, which is not there`),
    ];
  });
}

/** What is wrong with the decisions in `docs/adr`: gaps in their numbers, and pages that don't begin with their result. */
export function decisionFaults(decisions: readonly { name: string; text: string }[]): string[] {
  return decisions
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .flatMap(({ name, text }, index) => {
      const number = index + 1;
      const [title = "", ...sections] = text.split("\n").filter((line) => line.startsWith("#"));
      return [
        ...(name.startsWith(`${String(number).padStart(4, "0")}-`)
          ? []
          : [`docs/adr/${name}: the next number is ${number}; numbers have no gaps`]),
        ...(title.startsWith(`# ${number}. `)
          ? []
          : [`docs/adr/${name}: its title must begin with "# ${number}. "`]),
        ...(sections[0] === "## Result"
          ? []
          : [`docs/adr/${name}: its first section must be "## Result", in one paragraph`]),
      ];
    });
}

/** Paths of links and pictures within the repository. */
function linksIn(line: string): string[] {
  const targets = [...line.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? "",
  );
  return targets
    .filter((target) => !/^([a-z]+:|#)/.test(target))
    .map((target) => decodeURI(target.replace(/#.*/, "")));
}
