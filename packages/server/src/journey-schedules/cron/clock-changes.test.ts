import { scaled } from "@waymark/test-support/scale.ts";
import { describe, expect, it } from "vitest";
import { nextTimes } from "./next-times.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Offsets change at full quarters of an hour. */
const QUARTER = 15;

/** A zone, and a year in which its clock changes. */
const YEARS: readonly (readonly [timeZone: string, year: number])[] = [
  ["Europe/Berlin", 2026],
  ["America/New_York", 2026],
  // Half an hour.
  ["Australia/Lord_Howe", 2026],
  // Back for Ramadan, and forth after it.
  ["Africa/Casablanca", 2026],
  // At midnight.
  ["America/Santiago", 2026],
  // 30 December 2011 was skipped.
  ["Pacific/Apia", 2011],
  ["UTC", 2026],
];

type IsTime = (hour: number, minute: number) => boolean;

/** The minutes of a day that an expression names, written out, so that the reference needs no parser. */
const EXPRESSIONS: readonly (readonly [cron: string, isTime: IsTime])[] = [
  ["30 2 * * *", (hour, minute) => hour === 2 && minute === 30],
  ["0 2,3 * * *", (hour, minute) => [2, 3].includes(hour) && minute === 0],
  ["*/20 1-3 * * *", (hour, minute) => hour >= 1 && hour <= 3 && minute % 20 === 0],
  ["5 0,23 * * *", (hour, minute) => [0, 23].includes(hour) && minute === 5],
  ["0 * * * *", (_hour, minute) => minute === 0],
  ...scaled<readonly (readonly [string, IsTime])[]>({
    short: [],
    long: [
      ["15,45 */2 * * *", (hour, minute) => hour % 2 === 0 && [15, 45].includes(minute)],
      ["*/20 * * * *", (_hour, minute) => minute % 20 === 0],
    ],
  }),
];

/** Returns the times that the zone's clock shows at each quarter of an hour of a year, in minutes since 1970. */
function wallQuarters(timeZone: string, year: number): { start: number; walls: number[] } {
  const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" });
  const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const walls: number[] = [];
  for (let at = start; at < end; at += QUARTER * MINUTE_MS) {
    walls.push(Date.parse(`${format.format(at).replace(" ", "T")}Z`) / MINUTE_MS);
  }
  return { start: start / MINUTE_MS, walls };
}

const isTimeAt = (isTime: IsTime, wall: number) => isTime(Math.floor((wall % DAY_MINUTES) / 60), wall % 60);

/** The documented rules, minute by minute. */
function expectedTimes(
  { start, walls }: { start: number; walls: number[] },
  { isTime, isHourly }: { isTime: IsTime; isHourly: boolean },
): number[] {
  const times: number[] = [];
  // The latest time that the clock has shown.
  let shown = (walls[0] ?? 0) - 1;
  for (const [quarter, first] of walls.entries()) {
    for (let minute = 0; minute < QUARTER; minute++) {
      const wall = first + minute;
      const at = start + quarter * QUARTER + minute;
      // A clock that has gone forward shows its skipped minutes now; one that has gone back shows nothing new.
      const passed = Array.from({ length: Math.max(0, wall - shown) }, (_, index) => shown + 1 + index);
      const due = isHourly ? [wall] : passed;
      if (due.some((each) => isTimeAt(isTime, each))) times.push(at * MINUTE_MS);
      shown = Math.max(shown, wall);
    }
  }
  return times;
}

describe.each(YEARS)("the times of a year in %s, %i", (timeZone, year) => {
  const quarters = wallQuarters(timeZone, year);

  it.each(EXPRESSIONS)("%s", (cron, isTime) => {
    const isHourly = cron.split(" ")[1] === "*";
    const expected = expectedTimes(quarters, { isTime, isHourly });
    const after = new Date(Date.UTC(year, 0, 1) - 1);
    const times = nextTimes({ cron, timeZone }, after, expected.length + 1);
    expect(times.slice(0, -1).map((time) => time.toISOString())).toEqual(
      expected.map((time) => new Date(time).toISOString()),
    );
    expect(times.at(-1)?.getTime()).toBeGreaterThanOrEqual(Date.UTC(year + 1, 0, 1));
  });
});

it("a time is the same from whichever moment before it is asked for", () => {
  const rhythm = { cron: "*/20 1-3 * * *", timeZone: "Europe/Berlin" };
  for (const day of ["2026-03-29", "2026-10-25"]) {
    const start = Date.parse(`${day}T00:00:00Z`) - 3 * 60 * MINUTE_MS;
    const all = nextTimes(rhythm, new Date(start - 1), 60).map((time) => time.getTime());
    const stepMs = scaled({ short: 7 * MINUTE_MS, long: 10_000 });
    for (let after = start; after < start + 8 * 60 * MINUTE_MS; after += stepMs) {
      const [next] = nextTimes(rhythm, new Date(after), 1);
      expect(next?.getTime()).toBe(all.find((time) => time > after));
    }
  }
});
