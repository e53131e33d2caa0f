import { type DailyTotals, HISTORY_DAYS } from "@waymark/shared/services/overview/schema.ts";

const DAY_MS = 86_400_000;

/**
 * The totals of each of the last days, oldest first, from those of the days on which they changed. Days before the first of these are
 * left out; today has the given totals.
 */
export function daysOfTotals(changed: readonly DailyTotals[], today: DailyTotals): DailyTotals[] {
  const first = changed[0]?.day ?? today.day;
  const end = Date.parse(today.day);
  const begin = Math.max(Date.parse(first), end - (HISTORY_DAYS - 1) * DAY_MS);
  const days: DailyTotals[] = [];
  let next = 0;
  for (let at = begin; at < end; at += DAY_MS) {
    const day = dayOf(at);
    while ((changed[next + 1]?.day ?? today.day) <= day && next + 1 < changed.length) next++;
    const totals = changed[next];
    if (totals !== undefined) days.push({ ...totals, day });
  }
  return [...days, today];
}

/** The last days until today, oldest first. */
export function lastDays(today: string): string[] {
  const end = Date.parse(today);
  return Array.from({ length: HISTORY_DAYS }, (_, index) => dayOf(end - (HISTORY_DAYS - 1 - index) * DAY_MS));
}

/** The day of UTC of a moment, as in 2026-11-23. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
