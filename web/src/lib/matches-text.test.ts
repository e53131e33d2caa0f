import { expect, test } from "vitest";
import { matchesText } from "./matches-text.ts";

test.each<[string, (string | null | undefined)[], boolean]>([
  ["", [], true],
  ["", [null], true],
  ["BOOK", ["/Books", null], true],
  ["shelf", ["/books", undefined, "Puts a book on a Shelf"], true],
  ["shelf", ["/books", null, undefined], false],
  [".*", ["/books"], false],
])("%j in %j: %s", (text, parts, matches) => {
  expect(matchesText(text, parts)).toBe(matches);
});
