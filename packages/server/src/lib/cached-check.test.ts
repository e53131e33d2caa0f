import { expect, test } from "vitest";
import { createCachedCheck } from "./cached-check.ts";

test("concurrent callers share one check", async () => {
  let checks = 0;
  const { promise, resolve } = Promise.withResolvers<number>();
  const ask = createCachedCheck(
    () => {
      checks++;
      return promise;
    },
    { freshMs: 1_000 },
  );
  const asked = Array.from({ length: 100 }, () => ask());
  resolve(7);
  await expect(Promise.all(asked)).resolves.toEqual(Array(100).fill(7));
  expect(checks).toBe(1);
});

test("a result is fresh for its time, counted from its arrival", async () => {
  let checks = 0;
  let now = 0;
  const ask = createCachedCheck(async () => ++checks, { freshMs: 1_000, now: () => now });
  await expect(ask()).resolves.toBe(1);
  now = 999;
  await expect(ask()).resolves.toBe(1);
  now = 1_000;
  await expect(ask()).resolves.toBe(2);
});

test("a check that throws is run again by the next caller", async () => {
  let checks = 0;
  const ask = createCachedCheck(
    async () => {
      if (++checks === 1) throw new Error("once");
      return checks;
    },
    { freshMs: 1_000 },
  );
  await expect(ask()).rejects.toThrow("once");
  await expect(ask()).resolves.toBe(2);
});

test("the error of a check that throws is used again for its own time", async () => {
  let checks = 0;
  let now = 0;
  const fail = () => Promise.reject(new Error(`failure ${++checks}`));
  const ask = createCachedCheck<never>(fail, { freshMs: 1_000, failedMs: 200, now: () => now });
  for (const [at, message] of [
    [0, "failure 1"],
    [199, "failure 1"],
    [200, "failure 2"],
  ] as const) {
    now = at;
    await expect(ask()).rejects.toThrow(message);
  }
});
