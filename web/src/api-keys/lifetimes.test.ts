import { expect, test } from "vitest";
import { describeExpiry, lifetimeChoices } from "./lifetimes.ts";

const values = (daysMax: number | null) => lifetimeChoices(daysMax).map(({ value }) => value);

test("without a maximum a key may live for ever; with one, that long and no longer", () => {
  expect(values(null)).toEqual(["30", "90", "365", "never"]);
  expect(values(400)).toEqual(["30", "90", "365", "400"]);
  expect(values(90)).toEqual(["30", "90"]);
  expect(values(7)).toEqual(["7"]);
});

test("one day is not a plural", () => {
  expect(lifetimeChoices(1)).toEqual([{ value: "1", label: "1 day" }]);
  expect(lifetimeChoices(2)).toEqual([{ value: "2", label: "2 days" }]);
});

test("the date of expiry follows from the lifetime", () => {
  const now = Date.parse("2026-03-01T12:00:00.000Z");
  expect(describeExpiry("30", now)).toMatch(/^The key expires on .*31.*\.$/);
  expect(describeExpiry("never", now)).toBe("The key never expires.");
});
