import { expect, it } from "vitest";
import { nextInList, rowInPlace } from "./next-in-list.ts";

it("goes on from the finding that was shown last, or from where it was", () => {
  expect([nextInList({ index: 4, place: 4 }, 1), nextInList({ index: 4, place: 4 }, -1)]).toEqual([5, 3]);
  // A new scan may have moved it.
  expect(nextInList({ index: 2, place: 4 }, 1)).toBe(3);
  expect([nextInList({ index: -1, place: 4 }, 1), nextInList({ index: -1, place: 4 }, -1)]).toEqual([4, 3]);
  expect([nextInList({ index: -1, place: null }, 1), nextInList({ index: -1, place: null }, -1)]).toEqual([
    0, 0,
  ]);
});

it("finds the row in its place, which is the last one where the last one left", () => {
  expect(rowInPlace({ index: 3, place: 5 }, 9)).toBe(3);
  expect(rowInPlace({ index: -1, place: 5 }, 9)).toBe(5);
  expect(rowInPlace({ index: -1, place: 5 }, 5)).toBe(4);
  expect(rowInPlace({ index: -1, place: 0 }, 0)).toBe(-1);
  expect(rowInPlace({ index: -1, place: null }, 9)).toBe(-1);
});
