import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.UTC(2026, 10, 27, 20, 0, 0);

test.each([
  ["0", 0],
  [" 120 ", 120_000],
  ["Fri, 27 Nov 2026 20:00:30 GMT", 30_000],
  ["Friday, 27-Nov-26 20:01:00 GMT", 60_000],
  ["Fri Nov 27 20:00:05 2026", 5000],
  ["Sun Nov  6 08:49:37 1994", 0],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
])("%j is %d ms", (value, ms) => {
  expect(retryAfterMs(value, NOW)).toBe(ms);
});

test.each([
  undefined,
  "",
  "1.5",
  "-1",
  "+1",
  "1e3",
  "0x10",
  "soon",
  "2026-11-27T20:00:30Z",
  "27 Nov 2026 20:00:30",
  "Fri, 27 Nov 2026 20:00:30 +0100",
])("%j is no delay", (value) => {
  expect(retryAfterMs(value, NOW)).toBeUndefined();
});
