import { expect, test } from "vitest";
import { quoteShell } from "./quote-shell.ts";

test.each([
  ["journeys/a.journey.yaml", "journeys/a.journey.yaml"],
  ["$(id)", "'$(id)'"],
  ["`id`; rm -rf x", "'`id`; rm -rf x'"],
  ["it's", String.raw`'it'\''s'`],
  ["-o", "'-o'"],
  ["", "''"],
  ["a\nb", "'a\nb'"],
])("%j is written as %j", (text, quoted) => {
  expect(quoteShell(text)).toBe(quoted);
});
