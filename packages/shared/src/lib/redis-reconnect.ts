const DELAY_STEP_MS = 100;
const DELAY_MAX_MS = 2_000;
/** Refusals further apart than this belong to different outages. */
const SAME_OUTAGE_MS = 10_000;

/**
 * Answers of a server that can't take writes: a replica, one that loads its data, one that is full or can't save. Within
 * a script, Redis before version 7 puts the word in the middle of the message.
 */
const REFUSAL = /\b(?:READONLY|UNBLOCKED|LOADING|MASTERDOWN|NOREPLICAS|OOM|MISCONF)\b/;

/**
 * Options for ioredis: when and how fast to connect again. A server that refuses writes counts as one that is away, and
 * its connection is dropped: after a fail-over the same address leads to another server, which an open connection never
 * finds. Pauses grow to two seconds, also where connecting succeeds and the next write is refused again.
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
