import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const LINES = 12;
const FOLDERS = "{packages,services,cli,web,test,bench,scripts,deploy,examples}";

/** The relevant lines of a file: without blank lines and imports, which repeat naturally. */
function linesOf(file: string): { text: string; line: number }[] {
  return readFileSync(path.join(root, file), "utf8")
    .split("\n")
    .map((text, index) => ({ text: text.trim(), line: index + 1 }))
    .filter(({ text }) => text !== "" && !text.startsWith("import "));
}

/** The positions of repeated blocks, each pair of files once. */
function repetitions(files: readonly string[]): string[] {
  const places = new Map<string, { file: string; line: number }>();
  const found = new Map<string, string>();
  for (const file of files) {
    const lines = linesOf(file);
    for (const [index, { line }] of lines.slice(0, Math.max(0, lines.length - LINES + 1)).entries()) {
      const block = lines
        .slice(index, index + LINES)
        .map(({ text }) => text)
        .join("\n");
      const first = places.get(block);
      if (first === undefined) places.set(block, { file, line });
      else if (!found.has(`${first.file} ${file}`)) {
        const where = `${first.file}:${first.line} stands again at ${file}:${line}.`;
        found.set(`${first.file} ${file}`, `${where} Write these ${LINES} lines once.`);
      }
    }
  }
  return [...found.values()];
}

it(`no block of ${LINES} lines of code is repeated`, () => {
  const files = globSync(`${FOLDERS}/**/*.{ts,tsx,mjs,sql,css,yml,yaml}`, {
    cwd: root,
    // Each of the conformance probes is a whole document. schema.sql is written from the migrations, and the manifests for
    // kustomize from the chart of Helm.
    exclude: (name) =>
      /(^|\/)(node_modules|dist|coverage|probes|helm|deploy\/kubernetes|schema\.sql)$/.test(name),
  });
  expect(files.length).toBeGreaterThan(500);
  expect(repetitions(files)).toEqual([]);
});
