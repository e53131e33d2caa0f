import { SNOOZE_LIMITS } from "@waymark/shared/services/snoozes/limits.ts";

const HOUR = 9;
const MONDAY = 1;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const at9 = (now: Date, daysLater: number) =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysLater, HOUR);

/** The times that are offered, in the reader's time zone: tomorrow and next Monday at nine, once if they are the same. */
export function snoozeTimes(now: Date): { label: string; until: Date }[] {
  const toMonday = (MONDAY + 7 - now.getDay()) % 7 || 7;
  const tomorrow = { label: "Tomorrow, 9:00", until: at9(now, 1) };
  return toMonday === 1 ? [tomorrow] : [tomorrow, { label: "Monday, 9:00", until: at9(now, toMonday) }];
}

/** Returns nine o'clock of a day such as `2026-05-04`; undefined if it is over, or later than a snooze can last. */
export function nineOf(day: string, now: Date): Date | undefined {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const until = new Date(year, month - 1, date, HOUR);
  const { first, last } = daysOf(now);
  return !DAY.test(day) || day < first || day > last ? undefined : until;
}

/** The first and the last day until which something can be snoozed. */
export function daysOf(now: Date): { first: string; last: string } {
  // A day less than the server takes: a change of the clocks must not make the last one too late.
  return { first: textOf(at9(now, 1)), last: textOf(at9(now, SNOOZE_LIMITS.daysMax - 1)) };
}

function textOf(day: Date): string {
  const two = (value: number) => `${value}`.padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
