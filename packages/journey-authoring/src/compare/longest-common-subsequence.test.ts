import { assert, constant, property, shuffledSubarray, string, tuple, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { stayingIn } from "./staying-in.ts";

test.each([
  ["a b c d", "a b c d", "a b c d"],
  ["a b c d", "d a b c", "a b c"],
  ["a b c d", "b c d a", "b c d"],
  ["a b c d e", "e b c a d", "b c d"],
  ["a", "a", "a"],
])("of %j, as %j, these stay: %j", (before, after, expected) => {
  const staying = stayingIn(before.split(" "), after.split(" "));
  expect([...staying].toSorted().join(" ")).toBe(expected);
});

test("what stays is in the same order in both, and nothing more could stay", () => {
  const items = uniqueArray(string({ minLength: 1, maxLength: 3 }), { maxLength: 7 });
  const orders = items.chain((before) =>
    tuple(constant(before), shuffledSubarray(before, { minLength: before.length })),
  );
  assert(
    property(orders, ([before, after]) => {
      const staying = stayingIn(before, after);
      const orderIn = (all: readonly string[]) => all.filter((item) => staying.has(item));
      expect(orderIn(after)).toEqual(orderIn(before));
      expect(staying.size).toBe(longest(before, after));
    }),
  );
});

/** The length of the longest sequence that both have, by looking at all. */
function longest(before: readonly string[], after: readonly string[]): number {
  if (before.length === 0) return 0;
  const [first, ...rest] = before;
  const place = after.indexOf(first ?? "");
  const without = longest(rest, after);
  if (place === -1) return without;
  return Math.max(without, 1 + longest(rest, after.slice(place + 1)));
}
