// Not rate-limiter-flexible's insuranceLimiter with ioredis' commandTimeout: then every request waits for a Redis that hangs.
import { setTimeout as sleep } from "node:timers/promises";
import { toError } from "@waymark/shared/lib/to-error.ts";

export interface Breaker {
  /** Runs `work`; runs `instead` if it fails or takes too long, or did so recently. */
  run<T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T>;
}

/**
 * A circuit breaker, so that a slow or unavailable dependency doesn't slow down every request: after a failure it makes no
 * attempt for `openMs`, then one. It calls `onError` only for the first of consecutive failures.
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
  // After a busy phase, the timer and the response may be due at the same time. The event loop reads sockets between
  // timers and setImmediate, so the response wins.
  const timer = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: timer.signal })
    .then(() => new Promise((resolve) => setImmediate(resolve)))
    .then(() => {
      throw new Error(`no response within ${timeoutMs} ms`);
    });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
    promise.catch(() => undefined);
  }
}
