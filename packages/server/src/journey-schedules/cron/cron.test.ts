import { describe, expect, it } from "vitest";
import { isTimeZone, nextTick, nextTimes } from "./next-times.ts";
import { parseCron, shortestIntervalMinutes } from "./parse-cron.ts";

const next = (cron: string, timeZone: string, after: string, count: number) =>
  nextTimes({ cron, timeZone }, new Date(after), count).map((time) => time.toISOString().slice(0, 16));

describe("a cron expression", () => {
  it.each([
    ["0 0 * * * *", "has 6 fields: write five"],
    ["0 0 0 1 1 * 2027", "has 7 fields: write five"],
    ["0 0 * *", "has 4 fields: write five"],
    ["", "has 0 fields: write five"],
    ["@daily", "has 1 fields: write five"],
    ["0 0 L * *", 'field 3 (day of the month): "L" is not supported'],
    ["0 0 15W * *", 'field 3 (day of the month): "15W" is not supported'],
    ["0 0 * * 5#2", 'field 5 (day of the week): "5#2" is not supported'],
    ["0 0 ? * *", 'field 3 (day of the month): "?" is not supported'],
    ["60 * * * *", "field 1 (minute): 60 is not from 0 to 59"],
    ["0 24 * * *", "field 2 (hour): 24 is not from 0 to 23"],
    ["0 0 0 * *", "field 3 (day of the month): 0 is not from 1 to 31"],
    ["0 0 * 13 *", "field 4 (month): 13 is not from 1 to 12"],
    ["0 0 * * 8", "field 5 (day of the week): 8 is not from 0 to 7"],
    ["0 0 * MAI *", 'field 4 (month): "MAI" is not supported. Use numbers from 1 to 12, JAN to DEC'],
    ["5-1 * * * *", 'field 1 (minute): "5-1" begins after its end'],
    ["*/0 * * * *", "field 1 (minute): the step 0 is not from 1 to 59"],
    ["5/10 * * * *", 'field 1 (minute): "5/10" has a step without a range or *'],
    ["1,,2 * * * *", 'field 1 (minute): "" is not supported'],
    ["1-2-3 * * * *", 'field 1 (minute): "1-2-3" is not supported'],
    ["1/2/3 * * * *", 'field 1 (minute): "1/2/3" is not supported'],
    ["-5 * * * *", 'field 1 (minute): "-5" is not supported'],
  ])("%j is refused with its place", (text, message) => {
    expect(() => parseCron(text)).toThrow(message);
  });

  it("is read in any case and with any spaces", () => {
    expect(parseCron("  */15 9-17  * jan,Dec\tmon-fri ").text).toBe("*/15 9-17 * JAN,DEC MON-FRI");
    expect(parseCron("0,30 1-7/3 1-31/2 * 0,7")).toMatchObject({ minutes: [0, 30], hours: [1, 4, 7] });
  });

  it.each([
    ["*/5 * * * *", 5],
    ["0,58 * * * *", 2],
    ["*/7 * * * *", 4],
    ["59 * * * *", 60],
    ["30 2 * * *", 1440],
    ["58 23 * * *", 1440],
    ["1,59 0,23 * * *", 2],
    ["0 0,12 1 * *", 720],
    ["* * * * *", 1],
  ])("%s has a shortest interval of %i minutes", (text, minutes) => {
    expect(shortestIntervalMinutes(parseCron(text))).toBe(minutes);
  });

  it("has no next time where its date never comes", () => {
    expect(next("0 0 31 2 *", "UTC", "2026-01-01", 5)).toEqual([]);
    expect(next("0 0 29 2 *", "UTC", "2026-01-01", 1)).toEqual(["2028-02-29T00:00"]);
  });
});

describe("the next times", () => {
  it("of a daily time come once on the days on which the clock changes", () => {
    expect(next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    expect(next("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    // Half an hour.
    expect(next("45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00:00Z", 2)).toEqual([
      "2026-04-04T14:45",
      "2026-04-05T15:15",
    ]);
  });

  it("of every half hour go on through a change of clock", () => {
    const times = nextTimes(
      { cron: "*/30 * * * *", timeZone: "Europe/Berlin" },
      new Date("2026-10-24T20:00Z"),
      20,
    );
    const gaps = times.slice(1).map((time, index) => time.getTime() - (times[index]?.getTime() ?? 0));
    expect(new Set(gaps)).toEqual(new Set([30 * 60_000]));
  });

  it("are in the zone of the schedule", () => {
    expect(next("0 9 * * 1", "Asia/Kolkata", "2026-06-01T00:00:00Z", 1)).toEqual(["2026-06-01T03:30"]);
  });

  it("start later by a jitter that is the same for a tick and differs between ticks", () => {
    const rhythm = { id: "a", cron: "0 * * * *", timeZone: "UTC", jitterSeconds: 300 };
    const after = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
    const delays = [0, 1, 2, 3, 4].map((hour) => {
      const { dueAt, startAt } = nextTick(rhythm, after(hour));
      return startAt.getTime() - dueAt.getTime();
    });
    for (const delay of delays) expect(delay).toBeLessThanOrEqual(300_000);
    expect(new Set(delays).size).toBeGreaterThan(1);
    expect(nextTick(rhythm, after(0))).toEqual(nextTick(rhythm, after(0)));
  });
});

it.each([
  ["Europe/Berlin", true],
  ["America/Argentina/Buenos_Aires", true],
  ["UTC", true],
  ["Etc/GMT+5", true],
  ["Europe/Atlantis", false],
  ["+01:00", false],
  ["", false],
  ["Europe/Berlin\n", false],
])("%j is a known time zone: %s", (name, isKnown) => {
  expect(isTimeZone(name)).toBe(isKnown);
});
