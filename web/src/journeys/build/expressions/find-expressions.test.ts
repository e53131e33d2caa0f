import { expect, it } from "vitest";
import { findExpressions, placeOf, rangeOf } from "./find-expressions.ts";

const GROUPS = [
  { group: "Outputs of steps before", items: ["$steps.a.outputs.titles", "$steps.a.outputs.id"] },
  { group: "Inputs", items: ["$inputs.titles", "$inputs.title"] },
];

it("finds all expressions without a text, and those that contain it, in any case", () => {
  expect(findExpressions(GROUPS, "")).toEqual(GROUPS);
  expect(findExpressions(GROUPS, " TITLES ").map(({ items }) => items)).toEqual([
    ["$steps.a.outputs.titles"],
    ["$inputs.titles"],
  ]);
  expect(findExpressions(GROUPS, "$inputs.none")).toEqual([]);
});

it("has first the expression that is exactly the text", () => {
  expect(findExpressions(GROUPS, "$inputs.title")).toEqual([
    { group: "Inputs", items: ["$inputs.title", "$inputs.titles"] },
  ]);
  expect(findExpressions(GROUPS, "$inputs.titles")[0]?.items[0]).toBe("$inputs.titles");
  const templates = { group: "Templates", items: ["Bearer {$inputs.title}"] };
  expect(findExpressions([templates, ...GROUPS], "$inputs.title").map(({ group }) => group)).toEqual([
    "Inputs",
    "Templates",
  ]);
});

it("knows the place while it is edited, and no longer when the text around it changes", () => {
  const place = placeOf("a == 200 && b", { from: 5, to: 8 });
  expect(rangeOf("a == 200 && b", place)).toEqual({ from: 5, to: 8 });
  expect(rangeOf("a == $inputs && b", place)).toEqual({ from: 5, to: 12 });
  expect(rangeOf("a ==  && b", place)).toEqual({ from: 5, to: 5 });
  expect(rangeOf("c == 200 && b", place)).toBeUndefined();
  expect(rangeOf("a == 200 && c", place)).toBeUndefined();
  // Too short to have both.
  expect(rangeOf("aa", placeOf("aaa", { from: 2, to: 2 }))).toBeUndefined();
});
