import { toError } from "@waymark/shared/lib/to-error.ts";
import type { Redis } from "ioredis";
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
// oxlint-disable-next-line max-lines-per-function -- one closure over the breaker and the two counters
export function createLimiters(
  redis: Redis | undefined,
  options: { timeoutMs: number; onError: (error: Error) => void; onUsable: () => void },
) {
  const { timeoutMs, onError, onUsable } = options;
  const breaker = createBreaker({ timeoutMs, openMs: 1_000, onError });

  return function createLimiter({ name, perMinute }: { name: string; perMinute: number }): Limiter {
    const limit = { keyPrefix: `waymark:limit:${name}`, points: perMinute, duration: WINDOW_SECONDS };
    const local = new RateLimiterMemory(limit);
    const shared =
      redis === undefined
        ? undefined
        : // Above the limit, this process refuses a key until its window ends, so that an attacker causes no load on Redis.
          new RateLimiterRedis({
            ...limit,
            storeClient: redis,
            rejectIfRedisNotReady: true,
            inMemoryBlockOnConsumed: perMinute + 1,
          });
    const counted = async <T>(
      work: (limiter: RateLimiterMemory | RateLimiterRedis) => Promise<T>,
    ): Promise<T> => {
      if (shared === undefined) return work(local);
      return breaker.run(
        () => work(shared),
        () => work(local),
      );
    };
    // A successful read proves nothing: a replica or a full server responds to it.
    const consumeOf = async (limiter: RateLimiterMemory | RateLimiterRedis, key: string) => {
      try {
        const result = await limiter.consume(key);
        if (limiter === shared) onUsable();
        return result;
      } catch (error) {
        return asResult(error);
      }
    };
    return {
      async consume(key) {
        const result = await counted((limiter) => consumeOf(limiter, key));
        return toState(perMinute, result, result.consumedPoints > perMinute || result.consumedPoints === 0);
      },
      async peek(key) {
        const result = await counted((limiter) => limiter.get(key));
        if (result === null) {
          return { limit: perMinute, remaining: perMinute, resetSeconds: WINDOW_SECONDS, exceeded: false };
        }
        return toState(perMinute, result, result.consumedPoints >= perMinute);
      },
    };
  };
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
