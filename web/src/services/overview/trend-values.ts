import type { OverviewDay } from "@waymark/shared/services/overview/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { wholePercent } from "../../lib/whole-percent.ts";
import { lastDays } from "./days-of-totals.ts";

/** A number on each of the last days, oldest first; null where it is not known. */
export type TrendValues = readonly (number | null)[];

/**
 * Returns a number of each of the last days until today, from the days that a worker recorded. A day that none recorded has null: nobody
 * knows what was between its neighbours.
 *
 * @param options.now the number of this moment, which is today's
 */
export function trendOf(
  recorded: readonly OverviewDay[],
  {
    today,
    now,
    valueOf,
  }: { today: string; now: number | null; valueOf: (day: OverviewDay) => number | null },
): TrendValues {
  const byDay = new Map(recorded.map((day) => [day.day, day]));
  return lastDays(today).map((date) => {
    if (date === today) return now;
    const day = byDay.get(date);
    return day === undefined ? null : valueOf(day);
  });
}

/** Returns a share as a whole percentage; null where there is nothing to cover. */
export function percentOf(share: { covered: number; total: number } | null): number | null {
  return share === null || share.total === 0 ? null : wholePercent(share.covered, share.total);
}

/** Describes a trend for screen readers, such as `From 1 to 3 in the last 90 days, at most 5. 12 days are not known.` */
export function describeValues(values: TrendValues, textOf: (value: number) => string): string {
  const known = values.filter((value) => value !== null);
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined) return "No day is known yet.";
  const missing = values.length - known.length;
  const range = `From ${textOf(first)} to ${textOf(last)} in the last ${countOf(values.length, "days")}, at most ${textOf(Math.max(...known))}.`;
  const verb = missing === 1 ? "is" : "are";
  return missing === 0 ? range : `${range} ${countOf(missing, "days")} ${verb} not known.`;
}
