import { expect, test } from "vitest";
import { isoTime } from "./iso-time.ts";

test("a time is written as a Date writes it, within a second and across seconds", () => {
  const start = Date.UTC(2026, 1, 28, 23, 59, 59, 990);
  for (const ms of [0, 1, 9, 10, 11, 10, 1_010, 9, 0.6, 86_400_000, -1_772_323_199_990, -1_772_323_199_991]) {
    expect(isoTime(start + ms)).toBe(new Date(Math.floor(start + ms)).toISOString());
  }
});
