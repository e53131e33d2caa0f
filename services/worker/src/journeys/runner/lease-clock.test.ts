import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLeaseClock } from "./lease-clock.ts";
import { monotonicMs } from "./messages.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "hrtime"] }));
afterEach(() => void vi.useRealTimers());

/** Whether a request may be sent by now. */
async function maySend(ask: Promise<void>): Promise<boolean> {
  const no = new Promise<void>((resolve) => setImmediate(resolve)).then(() => false);
  return Promise.race([ask.then(() => true), no]);
}

it("lets requests out until three seconds before the end, and again when the lease is extended", async () => {
  const lost: number[] = [];
  const lease = createLeaseClock(monotonicMs() + 10_000, () => lost.push(1));
  expect(await maySend(lease.maySend())).toBe(true);
  vi.advanceTimersByTime(6_900);
  expect(await maySend(lease.maySend())).toBe(true);
  vi.advanceTimersByTime(200);
  const waiting = lease.maySend();
  expect(await maySend(waiting)).toBe(false);
  lease.extend(monotonicMs() + 10_000);
  expect(await maySend(waiting)).toBe(true);
  vi.advanceTimersByTime(9_900);
  expect(lost).toEqual([]);
  lease.end();
});

it("is lost at its end, also where the news of an extension comes after it", () => {
  const lost: string[] = [];
  const silent = createLeaseClock(monotonicMs() + 100, () => lost.push("silent"));
  vi.advanceTimersByTime(200);
  expect(lost).toEqual(["silent"]);
  silent.extend(monotonicMs() + 60_000);
  expect(lost).toEqual(["silent", "silent"]);
  silent.end();
});
