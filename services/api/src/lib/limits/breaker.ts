// Not rate-limiter-flexible's insuranceLimiter with ioredis' commandTimeout: then every request waits for a Redis that hangs.
import { setTimeout as sleep } from "node:timers/promises";
import { toError } from "@waymark/shared/lib/to-error.ts";

export interface Breaker {
  /** Runs `work`, or `instead` when it fails, takes too long, or did so a moment ago. */
  run<T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T>;
}

/**
 * Keeps a dependency that is slow or gone from slowing everybody down: after a failure nobody tries for `openMs`,
 * then one does. `onError` hears of the first failure in a row only.
 */
export function createBreaker(options: {
  timeoutMs: number;
  openMs: number;
  onError: (error: Error) => void;
}): Breaker {
  let openUntil = 0;
  let failing = false;
  let probing = false;

  return {
    async run(work, instead) {
      if (failing && (probing || Date.now() < openUntil)) return instead();
      probing = failing;
      try {
        const result = await inTime(work(), options.timeoutMs);
        failing = false;
        return result;
      } catch (error) {
        if (!failing) options.onError(toError(error));
        failing = true;
        openUntil = Date.now() + options.openMs;
        return instead();
      } finally {
        probing = false;
      }
    },
  };
}

async function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  // A process that was busy finds the timer and the answer due at the same time: reading what has arrived comes
  // between a timer and setImmediate, so the answer wins.
  const timer = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: timer.signal })
    .then(() => new Promise((resolve) => setImmediate(resolve)))
    .then(() => {
      throw new Error(`no answer within ${timeoutMs} ms`);
    });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
    promise.catch(() => undefined);
  }
}
