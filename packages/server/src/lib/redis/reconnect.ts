const DELAY_STEP_MS = 100;
const DELAY_MAX_MS = 2_000;
/** Refusals with a longer pause between them belong to different outages. */
const SAME_OUTAGE_MS = 10_000;

/**
 * Errors of a server that can't accept writes: a replica, or a server that is loading its data, is full or can't save. For
 * scripts, Redis before version 7 has the error code in the middle of the message.
 */
const REFUSAL = /\b(?:READONLY|UNBLOCKED|LOADING|MASTERDOWN|NOREPLICAS|OOM|MISCONF)\b/;

/**
 * Options for ioredis: when and how fast to reconnect. A server that refuses writes counts as unavailable, and its
 * connection is closed: after a fail-over the address leads to another server, which an open connection doesn't reach.
 * Pauses grow up to two seconds, also if connecting succeeds and the next write is refused again.
 */
export function createReconnectOptions(now: () => number = Date.now): {
  retryStrategy: (attempt: number) => number;
  reconnectOnError: (error: Error) => boolean;
} {
  let refusals = 0;
  let refusedAt = -Infinity;
  return {
    retryStrategy: (attempt) => {
      const refused = now() - refusedAt < SAME_OUTAGE_MS ? refusals : 0;
      return Math.min((attempt + refused) * DELAY_STEP_MS, DELAY_MAX_MS);
    },
    reconnectOnError: (error) => {
      if (!REFUSAL.test(error.message)) return false;
      refusals = now() - refusedAt < SAME_OUTAGE_MS ? refusals + 1 : 0;
      refusedAt = now();
      return true;
    },
  };
}
