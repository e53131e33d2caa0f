import type { DailyTotals } from "@waymark/shared/services/overview/schema.ts";
import { expect, test } from "vitest";
import { dayOf, daysOfTotals } from "./days-of-totals.ts";

const totals = (day: string, endpointCount: number): DailyTotals => ({
  day,
  serviceCount: 1,
  endpointCount,
  findingsBySeverity: { info: 0, low: 0, medium: 0, high: 0, critical: 0 },
});
const counts = (days: readonly DailyTotals[]) => days.map(({ day, endpointCount }) => [day, endpointCount]);

test("a day without totals has those of the day before, and today has the current ones", () => {
  const changed = [totals("2026-02-26", 1), totals("2026-03-01", 3), totals("2026-03-02", 4)];
  expect(counts(daysOfTotals(changed, totals("2026-03-04", 5)))).toEqual([
    ["2026-02-26", 1],
    ["2026-02-27", 1],
    ["2026-02-28", 1],
    ["2026-03-01", 3],
    ["2026-03-02", 4],
    ["2026-03-03", 4],
    ["2026-03-04", 5],
  ]);
});

test("there are at most 90 days, and today alone without any others", () => {
  const days = daysOfTotals([totals("2025-01-01", 7), totals("2026-03-04", 8)], totals("2026-03-04", 9));
  expect(days).toHaveLength(90);
  expect(counts([days[0], days.at(-2), days.at(-1)].filter((day) => day !== undefined))).toEqual([
    ["2025-12-05", 7],
    ["2026-03-03", 7],
    ["2026-03-04", 9],
  ]);
  expect(counts(daysOfTotals([], totals("2026-03-04", 2)))).toEqual([["2026-03-04", 2]]);
  expect(dayOf(Date.UTC(2026, 2, 4, 23, 59))).toBe("2026-03-04");
});
