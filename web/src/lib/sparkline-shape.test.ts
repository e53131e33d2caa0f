import { expect, test } from "vitest";
import { describeTrend, sparklineShape } from "./sparkline-shape.ts";

const BOX = { width: 26, height: 16, inset: 3 };

test("fewer than two values make no line", () => {
  expect(sparklineShape(BOX, [])).toBeUndefined();
  expect(sparklineShape(BOX, [5])).toBeUndefined();
});

test("the lowest value lies at the bottom, the highest at the top, in steps from left to right", () => {
  expect(sparklineShape(BOX, [10, 20, 15])).toEqual({ path: "M3 13H13V3H23V8", end: { x: 23, y: 8 } });
});

test("a constant value lies in the middle", () => {
  expect(sparklineShape(BOX, [7, 7])).toEqual({ path: "M3 8H23V8", end: { x: 23, y: 8 } });
});

test("the words say how far the values went", () => {
  expect(describeTrend("Endpoints", [7, 7, 7])).toBe("Endpoints: 7 in each of the last 3 runs");
  expect(describeTrend("Findings", [4, 9, 2, 6])).toBe(
    "Findings over the last 4 runs: from 4 to 6, between 2 and 9",
  );
});
