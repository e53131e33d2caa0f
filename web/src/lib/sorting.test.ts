import { expect, test } from "vitest";
import { compareText, sortingOf, sortRows } from "./sorting.ts";

const COMPARISONS = { name: (a: { name: string }, b: { name: string }) => compareText(a.name, b.name) };
const rows = ["b10", "a", "b9"].map((name) => ({ name }));
const names = (order: string) => sortRows(rows, order, COMPARISONS).map(({ name }) => name);

test("a header sorts ascending, then descending, then not at all", () => {
  expect(sortingOf("", "name")).toEqual({ sorted: undefined, next: "name" });
  expect(sortingOf("name", "name")).toEqual({ sorted: "ascending", next: "-name" });
  expect(sortingOf("-name", "name")).toEqual({ sorted: "descending", next: "" });
  expect(sortingOf("-name", "path")).toEqual({ sorted: undefined, next: "path" });
});

test("numbers within names are compared as numbers, in both directions", () => {
  expect(names("name")).toEqual(["a", "b9", "b10"]);
  expect(names("-name")).toEqual(["b10", "b9", "a"]);
});

test.each(["", "-", "unknown", "-unknown"])("the order %j keeps the rows as they are, in a copy", (order) => {
  const sorted = sortRows(rows, order, COMPARISONS);
  expect(sorted).toEqual(rows);
  expect(sorted).not.toBe(rows);
});

test("rows that are equal keep their order, descending too", () => {
  const same = [
    { name: "a", id: 1 },
    { name: "a", id: 2 },
  ];
  for (const order of ["name", "-name"]) {
    expect(sortRows(same, order, COMPARISONS).map(({ id }) => id)).toEqual([1, 2]);
  }
});
