import { expect, test } from "vitest";
import { daysOfBreaks, describeNotCompared, runsOf } from "./days-of-breaks.ts";

const DAY = { day: "2026-03-04", breakingChanges: 2, comparedRuns: 3, notComparedRuns: 1 };

test("a day without runs has none, and days before the last 90 are left out", () => {
  const days = daysOfBreaks([{ ...DAY, day: "2025-01-01" }, DAY], "2026-03-05");
  expect(days).toHaveLength(90);
  expect(days.at(-2)).toEqual(DAY);
  expect(days.at(-1)).toEqual({ day: "2026-03-05", breakingChanges: 0, comparedRuns: 0, notComparedRuns: 0 });
  expect(days[0]?.breakingChanges).toBe(0);
});

test("runs that were not compared are never taken for runs that break nothing", () => {
  expect(describeNotCompared(runsOf([DAY, DAY]))).toBe(
    "2 of 8 runs were not compared: what they break is not known.",
  );
  expect(describeNotCompared(runsOf([DAY]))).toBe(
    "1 of 4 runs was not compared: what they break is not known.",
  );
  expect(describeNotCompared({ compared: 3, notCompared: 0 })).toBe("");
});
