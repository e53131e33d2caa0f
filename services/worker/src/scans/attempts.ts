import { isDatabaseUnavailable } from "@waymark/shared/db/unavailable.ts";

/** After so many attempts that count a run ends as failed. A worker that ends in one leaves it counted. */
export const ATTEMPTS_MAX = 8;
/**
 * A run that takes the database down each time must end, too. Pauses grow to 15 s: so many are two hours of a database
 * that can be asked for runs but can't store any.
 */
const EXCUSED_MAX = 500;
const RETRY_DELAY_MS = 500;
const RETRY_DELAY_MAX_MS = 60_000;
const EXCUSED_DELAY_MAX_MS = 15_000;

interface Attempt {
  attempt: number;
  attemptsExcused: number;
}

/** Which of the attempts that count this one is, from 1. */
export function countedAttempts({ attempt, attemptsExcused }: Attempt): number {
  return attempt - attemptsExcused;
}

/** Whether an attempt ended for a reason that is not the run's: the database was away, full, locked or out of time. */
export function isExcused(error: Error, { attemptsExcused }: Attempt): boolean {
  return attemptsExcused < EXCUSED_MAX && isDatabaseUnavailable(error);
}

/** Grows with the attempts. Jittered: many runs that failed together don't come back together. */
export function retryDelayMs(run: Attempt, { excused }: { excused: boolean }): number {
  const exponent = excused ? run.attemptsExcused + 1 : countedAttempts(run);
  const ceiling = Math.min(
    RETRY_DELAY_MS * 2 ** exponent,
    excused ? EXCUSED_DELAY_MAX_MS : RETRY_DELAY_MAX_MS,
  );
  return Math.round(ceiling * (0.5 + Math.random() / 2));
}
