import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Sources of the texts of the console: its pages, and the messages of API and command that it shows or refers to. */
const SOURCES = ["web/src/**/*.{ts,tsx}", "packages/shared/src/**/*.ts", "cli/src/**/*.ts"];

/** Sentences that had to be read twice, each with what says it in the field's words. */
const REPLACED: Readonly<Record<string, RegExp>> = {
  "no successful scan yet": /scanned never|never to the end|none stored yet/,
  "No services yet.": /No service was scanned/,
  "Severity changed": /weigh differently/,
  "You don't have access": /key may not see/,
  "grant a permission": /hand(ing)? out/,
  "Service names or prefixes": /starts of names/,
  "is saved in credentials.json": /stands in (its|the) credentials/,
  "copied completely": /copied whole/,
  "Sign-in failed": /That did not work/,
  Permissions: /It may:/,
  "Last used: never": /Last used never/,
  "Requests with this key fail immediately": /Whoever uses this key/,
  "Grace period for old key": /Hours until the old key/,
  "I've saved the key": /I have stored it/,
  "Create key": /Create the key/,
  "Scan received": /Accepted and safe/,
  "This key is limited to one service": /its scope is bound/,
  "Page not found": /This address leads nowhere/,
  Details: />\s*Inspect\b/,
};

test("the console keeps to the words that were found for sentences that had to be read twice", () => {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) => {
    const text = readFileSync(`${ROOT}${file}`, "utf8");
    const said = Object.entries(REPLACED).filter(([, sentence]) => sentence.test(text));
    return said.map(([better]) => `${file}: say “${better}”`);
  });
  expect(found).toEqual([]);
});
