import { expect, test } from "vitest";
import { describeAge, describeRemaining } from "./describe-age.ts";

const NOW = Date.parse("2026-03-14T12:00:00.000Z");

test.each([
  ["2026-03-14T12:00:05.000Z", "just now"],
  ["2026-03-14T11:59:01.000Z", "just now"],
  ["2026-03-14T11:58:30.000Z", "1 minute ago"],
  ["2026-03-14T09:01:00.000Z", "2 hours ago"],
  ["2026-03-13T11:00:00.000Z", "yesterday"],
  ["2026-03-01T12:00:00.000Z", "13 days ago"],
])("%s is %s", (at, age) => {
  expect(describeAge(at, NOW)).toBe(age);
});

test.each([
  ["2026-03-14T12:00:05.000Z", "now"],
  ["2026-03-14T12:59:59.000Z", "in 59 minutes"],
  ["2026-03-15T11:00:00.000Z", "in 23 hours"],
  ["2026-03-15T13:00:00.000Z", "tomorrow"],
  ["2026-03-27T12:00:00.000Z", "in 13 days"],
])("%s is %s", (at, remaining) => {
  expect(describeRemaining(at, NOW)).toBe(remaining);
});
