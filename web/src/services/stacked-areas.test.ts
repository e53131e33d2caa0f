import { expect, test } from "vitest";
import { stackedAreas, upperEdge } from "./stacked-areas.ts";

test("each series lies on those before it, and each value takes the same width", () => {
  expect(
    stackedAreas(
      [
        [2, 4],
        [1, 0],
      ],
      4,
    ),
  ).toEqual(["M0 50H50V0H100V100H50V100H0Z", "M0 25H50V0H100V0H50V50H0Z"]);
});

test.each([
  [0, 2],
  [1, 2],
  [2, 2],
  [3, 4],
  [5, 10],
  [11, 20],
  [99, 100],
  [101, 200],
  [4_100, 10_000],
])("a plot of up to %i ends at %i", (highest, edge) => {
  expect(upperEdge(highest)).toBe(edge);
});
