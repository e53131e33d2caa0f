import { expect, test } from "vitest";
import { describeBytes, describeReset } from "./describe-limits.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [64 * 1024, "64 KiB"],
  [1536, "1.5 KiB"],
  [10 * 1024 * 1024, "10 MiB"],
])("%i bytes are %s", (bytes, words) => {
  expect(describeBytes(bytes)).toBe(words);
});

test.each([
  [1, "in 1 s"],
  [60, "in 1 minute"],
  [61, "in 2 minutes"],
  [3_600, "in 1 hour"],
  [7_201, "in 3 hours"],
])("a count that restarts after %i s does so %s", (resetSeconds, words) => {
  expect(describeReset({ limit: 1, used: 0, resetSeconds })).toBe(words);
});
