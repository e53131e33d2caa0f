import { existsSync, globSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { readPage } from "./support/page.ts";

const TABLE_COLUMNS_MAX = 120;
const NOT_OURS = ["node_modules", "dist", ".waymark"];

const pages = globSync("**/*.md", {
  cwd: root,
  exclude: (name) => NOT_OURS.includes(path.basename(name)),
}).map((name) => {
  const file = name.replaceAll("\\", "/");
  // Blocks of code are emptied; their lines still count.
  const text = readPage(file).replaceAll(/^( *```)[^]*?^\1/gm, (block) => block.replaceAll(/[^\n]/g, ""));
  return { file, lines: text.split("\n") };
});

it("every table in a page has at most 120 columns: shorten its cells, or make it a list", () => {
  const tables = pages.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) => (line.startsWith("|") ? [{ at: `${file}:${index + 1}`, line }] : [])),
  );
  expect(tables.length).toBeGreaterThan(100);
  expect(tables.filter(({ line }) => line.length > TABLE_COLUMNS_MAX).map(({ at }) => at)).toEqual([]);
});

it("every link and picture in a page leads to a file that is there", () => {
  const links = pages.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) =>
      [...line.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)]
        .map(([, link, picture]) => decodeURI((link ?? picture ?? "").replace(/#.*/, "")))
        .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
        .map((target) => ({ at: `${file}:${index + 1}`, target: path.join(path.dirname(file), target) })),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ target }) => !existsSync(path.join(root, target)))).toEqual([]);
});

it("decisions are numbered without a gap, and begin with their result", () => {
  const decisions = pages.filter(({ file }) => file.startsWith("docs/adr/"));
  const heads = decisions
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, lines }) => [file, ...lines.filter((line) => line.startsWith("#")).slice(0, 2)]);
  expect(heads.length).toBeGreaterThan(0);
  expect(heads).toEqual(
    heads.map((_head, index) => [
      expect.stringContaining(`docs/adr/${String(index + 1).padStart(4, "0")}-`),
      expect.stringContaining(`# ${index + 1}. `),
      "## Result",
    ]),
  );
});
