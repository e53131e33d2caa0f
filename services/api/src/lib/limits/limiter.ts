import { toError } from "@waymark/shared/lib/to-error.ts";
import type { RedisConnection } from "@waymark/server/lib/redis/connect.ts";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { createBreaker } from "./breaker.ts";

/** A caller's usage in the current window. */
export interface LimitState {
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
  exceeded: boolean;
}

export interface Limiter {
  /** Counts a request and returns whether the limit is exceeded. */
  consume(key: string): Promise<LimitState>;
  /** Returns whether the next request would exceed the limit, without counting. */
  peek(key: string): Promise<LimitState>;
}

const WINDOW_SECONDS = 60;

/**
 * Counts per key and minute: in Redis, if configured, so that all api processes count together, otherwise in this process.
 * If Redis doesn't respond, it delays requests by `timeoutMs`, at most once a second. Meanwhile this process counts on its
 * own, so no request is refused because Redis is unavailable.
 */
export function createLimiters(
  redis: RedisConnection | undefined,
  options: { timeoutMs: number; onError: (error: Error) => void; onUsable: () => void },
) {
  const { timeoutMs, onError, onUsable } = options;
  const breaker = createBreaker({ timeoutMs, openMs: 1_000, onError });

  return function createLimiter({ name, perMinute }: { name: string; perMinute: number }): Limiter {
    const { local, shared } = createCounters(redis, name, perMinute);
    const counted = async <T>(work: (counter: Counter) => Promise<T>): Promise<T> => {
      if (shared === undefined) return work(local);
      return breaker.run(
        () => work(shared),
        () => work(local),
      );
    };
    return {
      async consume(key) {
        const result = await counted((counter) =>
          consume(counter, key, counter === shared ? onUsable : undefined),
        );
        return toState(perMinute, result, result.consumedPoints > perMinute || result.consumedPoints === 0);
      },
      async peek(key) {
        const result = await counted((counter) => counter.get(key));
        if (result === null) {
          return { limit: perMinute, remaining: perMinute, resetSeconds: WINDOW_SECONDS, exceeded: false };
        }
        return toState(perMinute, result, result.consumedPoints >= perMinute);
      },
    };
  };
}

type Counter = RateLimiterMemory | RateLimiterRedis;

/** The counter of this process, and the one in Redis that all processes share. */
function createCounters(redis: RedisConnection | undefined, name: string, perMinute: number) {
  const limit = { keyPrefix: `waymark:limit:${name}`, points: perMinute, duration: WINDOW_SECONDS };
  const local = new RateLimiterMemory(limit);
  if (redis === undefined) return { local, shared: undefined };
  // Above the limit, this process refuses a key until its window ends, so that an attacker causes no load on Redis.
  const blocking = { inMemoryBlockOnConsumed: perMinute + 1, rejectIfRedisNotReady: true };
  return { local, shared: new RateLimiterRedis({ ...limit, ...blocking, storeClient: redis }) };
}

/** Calls `onCounted` after a success. Reading proves nothing: a replica or a full server responds to it. */
async function consume(counter: Counter, key: string, onCounted?: () => void): Promise<RateLimiterRes> {
  try {
    const result = await counter.consume(key);
    onCounted?.();
    return result;
  } catch (error) {
    return asResult(error);
  }
}

/** The library rejects with a result if the limit is exceeded, and with an Error if its store failed. */
function asResult(thrown: unknown): RateLimiterRes {
  if (thrown instanceof RateLimiterRes) return thrown;
  throw toError(thrown);
}

function toState(limit: number, result: RateLimiterRes, exceeded: boolean): LimitState {
  return {
    limit,
    remaining: exceeded ? 0 : Math.max(0, limit - result.consumedPoints),
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
    exceeded,
  };
}
