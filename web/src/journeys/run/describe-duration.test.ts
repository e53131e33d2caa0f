import { expect, test } from "vitest";
import { describeDuration, describeMs } from "./describe-duration.ts";

test.each([
  [0, "0 ms"],
  [35.4, "35 ms"],
  [999.4, "999 ms"],
  [1_240, "1.2 s"],
  [59_900, "59.9 s"],
  [125_400, "2 min 5 s"],
  [179_999, "3 min 0 s"],
])("%d milliseconds are shown as %s", (ms, text) => {
  expect(describeMs(ms)).toBe(text);
});

test("a run that has not ended has no duration", () => {
  const startedAt = "2026-01-01T00:00:00.000Z";
  expect(describeDuration({ startedAt, endedAt: null })).toBe("–");
  expect(describeDuration({ startedAt, endedAt: "2026-01-01T00:00:02.500Z" })).toBe("2.5 s");
});
