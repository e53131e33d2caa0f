import { z } from "zod";

const RFC_3339 = z.regexes.datetime({ offset: true });
/** RFC 3339 requires seconds, and permits small letters and the second 60. */
const SHAPE = /^(.{10})[Tt](.{5}):(\d\d)(\.\d+)?([Zz]|[+-].{5})$/s;
/** The years 1 to 9999 in UTC: Postgres and `Date` read these, and write them with four digits. */
const EARLIEST_MS = -62_135_596_800_000;
const LATEST_MS = 253_402_300_799_999;

/**
 * Rewrites an RFC 3339 date-time so that `Date` and Postgres read it: capital `T` and `Z`, and a leap second as the second
 * after it. Every other form stays as it is. Returns undefined if the text is not an RFC 3339 date-time of the years 1 to 9999.
 */
export function canonicalDateTime(value: string): string | undefined {
  const [, date, minutes, seconds, fraction = "", offset] = SHAPE.exec(value) ?? [];
  if (offset === undefined) return undefined;
  const isLeapSecond = seconds === "60";
  const text = `${date}T${minutes}:${isLeapSecond ? "59" : seconds}${fraction}${offset.toUpperCase()}`;
  if (!RFC_3339.test(text)) return undefined;
  const time = Date.parse(text);
  if (!(time >= EARLIEST_MS && time <= LATEST_MS)) return undefined;
  if (!isLeapSecond) return text;
  const next = new Date(time + 1_000);
  return isStartOfMonth(next) ? next.toISOString() : undefined;
}

/** Leap seconds are only at the end of a month, in UTC. */
function isStartOfMonth(time: Date): boolean {
  return time.getTime() <= LATEST_MS && time.toISOString().slice(8, 19) === "01T00:00:00";
}
