import { setTimeout as sleep } from "node:timers/promises";
import { retryAfterMs } from "@waymark/journeys/run/retry-after.ts";
import { ERROR_KINDS } from "@waymark/shared/errors/app-error.ts";
import { errorCodeOf } from "./error-code.ts";
import { type HttpResponse, NetworkError } from "./send.ts";
import type { NetworkTimes } from "./times.ts";

/** Retried also for responses of proxies, without an error code of the API: every request of the command is idempotent. */
const RETRIED_STATUSES = new Set([429, 500, 502, 503, 504]);

const RETRIED_ERRORS = Object.entries(ERROR_KINDS).filter(([, { retry }]) => retry);

/** The maximum delay between attempts; a server's Retry-After may be longer. */
const DELAY_MAX_MS = 20_000;

export interface RetryOptions {
  times: NetworkTimes;
  /** Called before each delay, so that the user sees why it takes long. */
  onRetry: (event: { reason: string; delayMs: number }) => void;
}

/**
 * Retries network errors, temporary errors of the API, and the statuses 429, 500, 502, 503 and 504, with jitter and not before
 * `Retry-After`. When the time or the attempts are used up, the last outcome counts.
 * @param attempt one request with a timeout in milliseconds
 * @throws {NetworkError} if the last attempt got no response
 */
export async function withRetries(
  attempt: (timeoutMs: number) => Promise<HttpResponse>,
  options: RetryOptions,
): Promise<HttpResponse> {
  const { times } = options;
  const deadline = performance.now() + times.totalMs;
  for (let count = 1; ; count++) {
    const left = deadline - performance.now();
    const outcome = await attempt(Math.max(1, Math.min(times.attemptMs, left))).catch(asNetworkError);
    const reason = retryReason(outcome);
    if (reason !== undefined && count < times.attemptsMax) {
      const delayMs = delayBefore(outcome, count, times);
      if (performance.now() + delayMs < deadline) {
        options.onRetry({ reason, delayMs });
        await sleep(delayMs);
        continue;
      }
    }
    if (outcome instanceof NetworkError) throw outcome;
    return outcome;
  }
}

function asNetworkError(error: unknown): NetworkError {
  if (error instanceof NetworkError) return error;
  throw error;
}

function retryReason(outcome: HttpResponse | NetworkError): string | undefined {
  if (outcome instanceof NetworkError) return outcome.isFinal ? undefined : outcome.message;
  const { status, body } = outcome;
  if (RETRIED_STATUSES.has(status)) return `HTTP ${status}`;
  const candidates = RETRIED_ERRORS.filter(([, kind]) => kind.httpStatus === status);
  if (candidates.length === 0) return undefined;
  const sent = errorCodeOf(body);
  return candidates.some(([code]) => code === sent) ? `HTTP ${status} ${sent}` : undefined;
}

// Jitter between half and all of the exponential delay, so that clients that failed together don't retry together.
function delayBefore(outcome: HttpResponse | NetworkError, count: number, times: NetworkTimes): number {
  const exponential = Math.min(DELAY_MAX_MS, times.firstDelayMs * 2 ** (count - 1));
  const own = exponential * (0.5 + Math.random() / 2);
  if (outcome instanceof NetworkError) return own;
  const asked = retryAfterMs(outcome.headers["retry-after"], Date.now());
  return asked === undefined ? own : asked + own;
}
