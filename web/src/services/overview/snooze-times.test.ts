import { expect, it } from "vitest";
import { daysOf, nineOf, snoozeTimes } from "./snooze-times.ts";

const inWords = (now: Date) =>
  snoozeTimes(now).map(({ label, until }) => [label, until.getDate(), until.getHours(), until.getDay()]);

it("tomorrow and next Monday are at nine of the reader's clock, however late it is", () => {
  // A Wednesday, late in the evening, at the end of a month.
  expect(inWords(new Date(2026, 8, 30, 23, 59))).toEqual([
    ["Tomorrow, 9:00", 1, 9, 4],
    ["Monday, 9:00", 5, 9, 1],
  ]);
  // On a Monday, the next one is a week away.
  expect(inWords(new Date(2026, 10, 30, 8))).toEqual([
    ["Tomorrow, 9:00", 1, 9, 2],
    ["Monday, 9:00", 7, 9, 1],
  ]);
});

it("on a Sunday, tomorrow is Monday, and is offered once", () => {
  expect(inWords(new Date(2026, 10, 29, 12))).toEqual([["Tomorrow, 9:00", 30, 9, 1]]);
});

it("a day is one that is to come, and not too late", () => {
  const now = new Date(2026, 10, 29, 12);
  expect(daysOf(now)).toEqual({ first: "2026-11-30", last: "2027-02-26" });
  expect(nineOf("2026-12-24", now)).toEqual(new Date(2026, 11, 24, 9));
  for (const day of ["", "x", "2026-11-29", "2027-02-27", "20261-01-01"])
    expect(nineOf(day, now)).toBeUndefined();
});
