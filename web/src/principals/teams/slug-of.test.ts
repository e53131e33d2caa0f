import { expect, test } from "vitest";
import { slugOf } from "./slug-of.ts";

test.each([
  ["Payments", "payments"],
  [" 2nd Level / Support ", "nd-level-support"],
  ["Crème brûlée", "creme-brulee"],
  ["支付", ""],
  ["a".repeat(80), "a".repeat(63)],
])("%s is proposed as %s", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
