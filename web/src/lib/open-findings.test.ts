import { expect, test } from "vitest";
import { openBySeverity, sumOf } from "./open-findings.ts";

const findingsBySeverity = { info: 1, low: 0, medium: 2, high: 7, critical: 1 };

test("decided findings are not open", () => {
  const decidedBySeverity = { info: 0, low: 0, medium: 2, high: 5, critical: 0 };
  const open = { info: 1, low: 0, medium: 0, high: 2, critical: 1 };
  expect(openBySeverity({ findingsBySeverity, decidedBySeverity })).toEqual(open);
  expect(openBySeverity({ findingsBySeverity, decidedBySeverity: null })).toEqual(findingsBySeverity);
});

test("counts that were read at two moments are never below nothing", () => {
  const decidedBySeverity = { info: 9, low: 9, medium: 9, high: 9, critical: 9 };
  expect(sumOf(openBySeverity({ findingsBySeverity, decidedBySeverity }))).toBe(0);
  expect(sumOf(null)).toBe(0);
});
