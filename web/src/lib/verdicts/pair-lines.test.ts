import { expect, test } from "vitest";
import { compare } from "../line-diff.ts";
import { pairLines } from "./pair-lines.ts";

const rowsOf = (before: string, after: string) =>
  pairLines(compare(before.split(" "), after.split(" "))).map((pair) => [
    pair.before?.text,
    pair.after?.text,
  ]);

test.each([
  [
    "a changed line",
    "a b c",
    "a x c",
    [
      ["a", "a"],
      ["b", "x"],
      ["c", "c"],
    ],
  ],
  [
    "more lines than before",
    "a b",
    "a x y z",
    [
      ["a", "a"],
      ["b", "x"],
      [undefined, "y"],
      [undefined, "z"],
    ],
  ],
  [
    "fewer lines than before",
    "a b c d",
    "x d",
    [
      ["a", "x"],
      ["b", undefined],
      ["c", undefined],
      ["d", "d"],
    ],
  ],
  [
    "a line that was removed before others stay",
    "a b c",
    "a c",
    [
      ["a", "a"],
      ["b", undefined],
      ["c", "c"],
    ],
  ],
])("%s stand beside one another", (_what, before, after, rows) => {
  expect(rowsOf(before, after)).toEqual(rows);
});
