import { timeFormats } from "./time-formats.ts";

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Describes the time that is left until another: `in 5 hours`, `in 3 days`. */
export function describeUntil(at: string, now: number): string {
  const left = Math.max(0, Date.parse(at) - now);
  if (left < HOUR_MS) return "within an hour";
  return left < 2 * DAY_MS
    ? timeFormats().age.format(Math.floor(left / HOUR_MS), "hour")
    : timeFormats().age.format(Math.floor(left / DAY_MS), "day");
}
