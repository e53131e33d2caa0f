import type { DailyBreaks, Overview } from "@waymark/shared/services/overview/schema.ts";
import { LOCALE } from "../../lib/locale.ts";
import { lastDays } from "./days-of-totals.ts";

/** The breaks of each of the last days until today, oldest first. A day without runs has none of anything. */
export function daysOfBreaks(recorded: readonly DailyBreaks[], today: string): DailyBreaks[] {
  const byDay = new Map(recorded.map((breaks) => [breaks.day, breaks]));
  return lastDays(today).map(
    (day) => byDay.get(day) ?? { day, breakingChanges: 0, comparedRuns: 0, notComparedRuns: 0 },
  );
}

/** Adds up the runs of days. */
export function runsOf(days: readonly DailyBreaks[]): Overview["recentRuns"] {
  return {
    compared: days.reduce((sum, { comparedRuns }) => sum + comparedRuns, 0),
    notCompared: days.reduce((sum, { notComparedRuns }) => sum + notComparedRuns, 0),
  };
}

/** Says of how many runs it is not known what they break; empty if all were compared. */
export function describeNotCompared({ compared, notCompared }: Overview["recentRuns"]): string {
  const runs = compared + notCompared;
  if (notCompared === 0) return "";
  const verb = notCompared === 1 ? "was" : "were";
  return `${notCompared.toLocaleString(LOCALE)} of ${runs.toLocaleString(LOCALE)} runs ${verb} not compared: what they break is not known.`;
}
