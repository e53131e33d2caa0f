import { expect, it } from "vitest";
import { describeUntil } from "./describe-until.ts";

it.each([
  ["2026-01-01T00:00:00Z", "within an hour"],
  ["2026-01-01T12:59:00Z", "within an hour"],
  ["2026-01-01T13:00:00Z", "in 1 hour"],
  ["2026-01-03T11:00:00Z", "in 47 hours"],
  ["2026-01-03T12:00:00Z", "in 2 days"],
  ["2026-01-15T11:00:00Z", "in 13 days"],
])("%s is %s", (at, expected) => {
  expect(describeUntil(at, Date.parse("2026-01-01T12:00:00Z"))).toBe(expected);
});
