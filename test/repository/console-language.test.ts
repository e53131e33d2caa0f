import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const SOURCES = path.join(root, "web/src");
/** Formatters of the standard library without a language, which take that of the browser. */
const BY_BROWSER =
  /\.toLocale\w*String\((\)|undefined|\[\])|Intl\.\w+\((undefined|\[\]|\)(?!\.resolvedOptions))/g;

test("no number, date or order of names follows the language of the browser", () => {
  const files = globSync("**/*.{ts,tsx}", { cwd: SOURCES }).filter((file) => !file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(SOURCES, file), "utf8");
    return [...text.matchAll(BY_BROWSER)].map(([use]) => `${file}: ${use}`);
  });
  expect(found).toEqual([]);
});
