import { expect, it } from "vitest";
import { describeFlaky, lastEndOf, medianOf } from "./run-statistics.ts";

const step = (stepId: string, flakyCount: number) => ({
  workflow: null,
  stepId,
  runCount: 4,
  passedCount: 3,
  flakyCount,
  medianMs: 5,
});

it("the median is one of the values", () => {
  expect(medianOf([5, 1, 9])).toBe(5);
  expect(medianOf([2, 1])).toBe(2);
  expect(medianOf([])).toBeNull();
});

it("names the first flaky steps", () => {
  expect(describeFlaky([step("a", 0), step("b", 2)])).toBe("flaky: b");
  expect(describeFlaky(["a", "b", "c", "d", "e"].map((id) => step(id, 1)))).toBe("flaky: a, b, c and 2 more");
  expect(describeFlaky([step("a", 0)])).toBe("");
});

it("the last end is that of the run that ended last, which need not be the newest one", () => {
  const ends = ["2026-11-28T10:00:00.000Z", null, "2026-11-28T10:00:00.500Z", "2026-11-27T23:00:00.000Z"];
  expect(lastEndOf(ends.map((endedAt) => ({ endedAt })))).toBe("2026-11-28T10:00:00.500Z");
  expect(lastEndOf([{ endedAt: null }])).toBeNull();
});
