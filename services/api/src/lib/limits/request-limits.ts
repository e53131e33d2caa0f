import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyReply } from "fastify";
import type { Redis } from "ioredis";
import { createLimiters, type Limiter, type LimitState } from "./limiter.ts";

/** Which limit per key a route counts towards; `none` for what must always be possible. */
export type KeyLimitName = "default" | "ingest" | "none";

export interface RequestLimitOptions {
  /** Per key; undefined for no limit. */
  keyPerMinute: number | undefined;
  ingestPerMinute: number | undefined;
  /** Per client address; undefined for no limit. */
  failedAuthenticationsPerMinute: number | undefined;
  /** How long a request waits for Redis. */
  countingTimeoutMs: number;
}

export interface RequestLimits {
  /** @throws AppError `rate_limited` when this address has failed too often */
  assertAddressMayTry(address: string, reply: FastifyReply): Promise<void>;
  noteFailure(address: string): Promise<void>;
  /** Counts a request of a key. @throws AppError `rate_limited` */
  countRequest(name: KeyLimitName, apiKeyId: string, reply: FastifyReply): Promise<void>;
}

/** The api's limits against abuse. An answer that a limit counted carries the RateLimit-* headers. */
export function createRequestLimits(
  redis: Redis | undefined,
  options: RequestLimitOptions & { onError: (error: Error) => void; onUsable: () => void },
): RequestLimits {
  const { countingTimeoutMs: timeoutMs, onError, onUsable } = options;
  const create = createLimiters(redis, { timeoutMs, onError, onUsable });
  const limiter = (name: string, perMinute: number | undefined): Limiter | undefined =>
    perMinute === undefined ? undefined : create({ name, perMinute });
  const failures = limiter("failed", options.failedAuthenticationsPerMinute);
  const perKey = {
    default: limiter("key", options.keyPerMinute),
    ingest: limiter("ingest", options.ingestPerMinute),
    none: undefined,
  };

  return {
    async assertAddressMayTry(address, reply) {
      const state = await failures?.peek(address);
      if (state?.exceeded !== true) return;
      setHeaders(reply, state);
      throw rateLimited(
        state,
        "Too many requests from this address were made without a valid API key. Check the key and try again later.",
      );
    },
    async noteFailure(address) {
      await failures?.consume(address);
    },
    async countRequest(name, apiKeyId, reply) {
      const state = await perKey[name]?.consume(apiKeyId);
      if (state === undefined) return;
      setHeaders(reply, state);
      if (state.exceeded) {
        throw rateLimited(state, "This API key makes too many requests. Slow down and try again.");
      }
    },
  };
}

function setHeaders(reply: FastifyReply, state: LimitState): void {
  reply.headers({
    "ratelimit-limit": state.limit,
    "ratelimit-remaining": state.remaining,
    "ratelimit-reset": state.resetSeconds,
  });
}

function rateLimited(state: LimitState, message: string): AppError {
  return new AppError("rate_limited", message, { data: { retryAfterSeconds: state.resetSeconds } });
}
