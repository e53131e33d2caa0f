import { LOCALE } from "../lib/locale.ts";

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const dayFormat = new Intl.DateTimeFormat(LOCALE, { month: "short", day: "numeric" });
const timeFormat = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" });

/** Returns the range of a time axis: at least two hours, because the first runs may be seconds apart. */
export function spanOf(first: number, last: number): [number, number] {
  const missing = 2 * HOUR_SECONDS - (last - first);
  return missing <= 0 ? [first, last] : [first - missing / 2, last + missing / 2];
}

/** An axis label: a day where the labels are days apart, else a time of day. */
export function momentOf(at: number, stepSeconds: number): string {
  return (stepSeconds >= DAY_SECONDS ? dayFormat : timeFormat).format(new Date(at * 1000));
}
