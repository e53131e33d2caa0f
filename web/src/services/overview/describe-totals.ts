import type { DailyTotals } from "@waymark/shared/services/overview/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { LOCALE } from "../../lib/locale.ts";

/** Describes a plot for screen readers, such as `From 40 to 46 services in 90 days, at most 47.` */
export function describeTotals(name: string, days: readonly DailyTotals[], sums: readonly number[]): string {
  const [first = 0, last = 0, most] = [sums[0], sums.at(-1), Math.max(...sums)];
  return `From ${first.toLocaleString(LOCALE)} to ${countOf(last, name)} in ${countOf(days.length, "days")}, at most ${most.toLocaleString(LOCALE)}.`;
}

export function findingsOf({ findingsBySeverity }: DailyTotals): number {
  return Object.values(findingsBySeverity).reduce((sum, count) => sum + count, 0);
}
