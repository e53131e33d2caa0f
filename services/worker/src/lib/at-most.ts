import { setTimeout as sleep } from "node:timers/promises";

/** Waits for the work, but no longer than `ms`. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([work, late]);
  timer.abort();
}
