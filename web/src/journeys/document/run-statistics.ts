import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import type { JourneyStatistics } from "@waymark/shared/journey-runs/statistics/schema.ts";
import { LOCALE } from "../../lib/locale.ts";

/** Returns the value in the middle, the upper one of two; null for none. */
export function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

/** Names the flaky steps, such as "flaky: read, write"; empty if none is. */
export function describeFlaky(steps: JourneyStatistics["steps"]): string {
  const names = steps.filter(({ flakyCount }) => flakyCount > 0).map(({ stepId }) => stepId);
  const more = names.length - 3;
  const shown = names.slice(0, 3).join(", ");
  if (names.length === 0) return "";
  return more > 0 ? `flaky: ${shown} and ${more.toLocaleString(LOCALE)} more` : `flaky: ${shown}`;
}

/** Returns when the last of the runs ended; null if none has. Statistics that were read before then lack it. */
export function lastEndOf(runs: readonly Pick<JourneyRun, "endedAt">[]): string | null {
  let last: string | null = null;
  for (const { endedAt } of runs) if (endedAt !== null && (last === null || endedAt > last)) last = endedAt;
  return last;
}
