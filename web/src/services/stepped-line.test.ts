import { expect, test } from "vitest";
import { nearestPoint, steppedLine } from "./stepped-line.ts";

const POINTS = [
  { at: 100, count: 5 },
  { at: 150, count: 10 },
  { at: 200, count: 0 },
];

test("a count stays the same until the next point", () => {
  const { line, area, dots } = steppedLine(POINTS, { from: 100, to: 200, edge: 10 });
  expect(line).toBe("M0 50H50V0H100V100");
  expect(area).toBe("M0 50H50V0H100V100V100H0Z");
  expect(dots).toBe("M0 50h0M50 0h0M100 100h0");
});

test("points have their place in a longer range, and nothing is drawn of none", () => {
  expect(steppedLine([{ at: 150, count: 1 }], { from: 100, to: 200, edge: 4 }).dots).toBe("M50 75h0");
  expect(steppedLine([], { from: 0, to: 1, edge: 2 })).toEqual({ line: "", area: "", dots: "" });
});

test.each([
  [0, 0],
  [124, 0],
  [126, 1],
  [176, 2],
  [999, 2],
])("nearest to %i is the point %i", (at, index) => {
  expect(nearestPoint(POINTS, at)).toBe(index);
});
