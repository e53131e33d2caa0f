import { assert, constant, property, shuffledSubarray, string, tuple, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { longestCommonSubsequence } from "./longest-common-subsequence.ts";

test.each([
  ["a b c d", "a b c d", "a b c d"],
  ["a b c d", "d a b c", "a b c"],
  ["a b c d", "b c d a", "b c d"],
  ["a b c d e", "e b c a d", "b c d"],
  ["a", "a", "a"],
])("%j and %j have %j in common", (before, after, expected) => {
  expect(longestCommonSubsequence(before.split(" "), after.split(" ")).join(" ")).toBe(expected);
});

test("it is in the same order in both, and none is longer", () => {
  const items = uniqueArray(string({ minLength: 1, maxLength: 3 }), { maxLength: 7 });
  const orders = items.chain((before) =>
    tuple(constant(before), shuffledSubarray(before, { minLength: before.length })),
  );
  assert(
    property(orders, ([before, after]) => {
      const common = longestCommonSubsequence(before, after);
      expect(before.filter((item) => common.includes(item))).toEqual(common);
      expect(after.filter((item) => common.includes(item))).toEqual(common);
      expect(common).toHaveLength(longest(before, after));
    }),
  );
});

/** The length of the longest one, by trying all. */
function longest(before: readonly string[], after: readonly string[]): number {
  if (before.length === 0) return 0;
  const [first, ...rest] = before;
  const index = after.indexOf(first ?? "");
  const without = longest(rest, after);
  if (index === -1) return without;
  return Math.max(without, 1 + longest(rest, after.slice(index + 1)));
}
