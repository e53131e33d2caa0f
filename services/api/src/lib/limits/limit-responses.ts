import { AppError, type ExceededLimit } from "@waymark/shared/errors/app-error.ts";
import { RATE_LIMITS, type RateLimitName } from "@waymark/shared/operations/limits.ts";
import type { FastifyReply } from "fastify";
import type { LimitState } from "./limiter.ts";

/** The limits, named as in `GET /api/limits`. */
export type LimitName =
  | RateLimitName
  | "organization.requestsPerMinute"
  | "organization.scansPerDay"
  | "organization.bytesPerDay";

/** Descriptions of what each limit counts, for messages. */
const COUNTED: Readonly<Record<LimitName, string>> = {
  ...RATE_LIMITS,
  "organization.requestsPerMinute": "requests a minute of all keys of an organization",
  "organization.scansPerDay": "accepted scans a day of an organization",
  "organization.bytesPerDay": "bytes of accepted scans a day of an organization",
};

/** The error for an exceeded limit, with its name, its value and when to retry. */
export function limitExceeded(name: LimitName, { limit, resetSeconds }: LimitState): AppError {
  const of: ExceededLimit["of"] = name.startsWith("organization.") ? "organization" : "key";
  const day = name.endsWith("PerDay") ? " The day ends at midnight UTC." : "";
  return new AppError(
    "rate_limited",
    `This server's limit of ${limit} ${COUNTED[name]} is reached. Try again in ${resetSeconds} s.${day}`,
    { data: { retryAfterSeconds: resetSeconds, exceededLimit: { name, value: limit, of } } },
  );
}

/** Sets the RateLimit-* headers. Of several limits, they show the one with the least remaining. */
export function setLimitHeaders(reply: FastifyReply, state: LimitState): void {
  const shown = reply.getHeader("ratelimit-remaining");
  if (shown !== undefined && !state.exceeded && Number(shown) <= state.remaining) return;
  reply.headers({
    "ratelimit-limit": state.limit,
    "ratelimit-remaining": state.remaining,
    "ratelimit-reset": state.resetSeconds,
  });
}
