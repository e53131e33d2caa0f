import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";

/** After this many counted attempts a run fails. An attempt that crashes its worker counts. */
export const ATTEMPTS_MAX = 8;
/**
 * The maximum number of excused attempts, because a run that crashes the database each time must fail too. Pauses grow to
 * 15 s, so this many attempts take two hours.
 */
const EXCUSED_MAX = 500;
const RETRY_DELAY_MS = 500;
const RETRY_DELAY_MAX_MS = 60_000;
const EXCUSED_DELAY_MAX_MS = 15_000;

interface Attempt {
  attempt: number;
  attemptsExcused: number;
}

/** The number of this attempt among the counted ones, from 1. */
export function countedAttempts({ attempt, attemptsExcused }: Attempt): number {
  return attempt - attemptsExcused;
}

/** Whether an attempt failed for a reason unrelated to the run: the database was unavailable, full, locked or too slow. */
export function isExcused(error: Error, { attemptsExcused }: Attempt): boolean {
  return attemptsExcused < EXCUSED_MAX && isDatabaseUnavailable(error);
}

/** Grows with the attempts. It has jitter, so that runs that failed together are not retried together. */
export function retryDelayMs(run: Attempt, { excused }: { excused: boolean }): number {
  const exponent = excused ? run.attemptsExcused + 1 : countedAttempts(run);
  const ceiling = Math.min(
    RETRY_DELAY_MS * 2 ** exponent,
    excused ? EXCUSED_DELAY_MAX_MS : RETRY_DELAY_MAX_MS,
  );
  return Math.round(ceiling * (0.5 + Math.random() / 2));
}
