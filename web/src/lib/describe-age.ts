import { timeFormats } from "./time-formats.ts";

const UNITS = [
  { unit: "day", seconds: 24 * 3600 },
  { unit: "hour", seconds: 3600 },
  { unit: "minute", seconds: 60 },
] as const;

/** Describes a time in the future: `in 20 hours`, `tomorrow`. */
export function describeRemaining(at: string, now: number): string {
  const seconds = Math.max(0, (Date.parse(at) - now) / 1000);
  const fitting = UNITS.find((each) => seconds >= each.seconds);
  return fitting === undefined
    ? "now"
    : timeFormats().age.format(Math.floor(seconds / fitting.seconds), fitting.unit);
}

/** Describes a time in the past, in the largest unit that fits: `2 hours ago`, `yesterday`. */
export function describeAge(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  const fitting = UNITS.find((each) => seconds >= each.seconds);
  return fitting === undefined
    ? "just now"
    : timeFormats().age.format(-Math.floor(seconds / fitting.seconds), fitting.unit);
}
