import type { Client } from "pg";
import { toError } from "@waymark/shared/lib/to-error.ts";

export const TRIES_MAX = 10;

/**
 * Runs `work` in a transaction, and again if another transaction changes the same roles or privileges at the same time
 * (roles belong to the whole server, so the migration of another database can do that), or holds a lock. After each try,
 * the requests that waited behind this one go on.
 */
export async function inTransaction(client: Client, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    await client.query("BEGIN");
    try {
      await work();
      await client.query("COMMIT");
      return;
    } catch (error) {
      await client.query("ROLLBACK");
      const failure = toError(error);
      if (isLockTimeout(failure) && tries === TRIES_MAX) throw explainLockTimeout(failure);
      if (!(isConcurrentChange(failure) || isLockTimeout(failure)) || tries === TRIES_MAX) throw error;
    }
  }
}

/** Another transaction has just created it (42710, 23505) or changed it ("tuple concurrently updated"). */
function isConcurrentChange(error: Error): boolean {
  const made = "code" in error && (error.code === "42710" || error.code === "23505");
  return made || error.message.startsWith("tuple concurrently");
}

function isLockTimeout(error: Error): boolean {
  if ("code" in error && error.code === "55P03") return true;
  return error.cause instanceof Error && isLockTimeout(error.cause);
}

function explainLockTimeout(cause: Error): Error {
  return new Error(
    `${cause.message}. Another transaction holds a lock on it, and this step was rolled back. Fix: find the transaction with ` +
      "SELECT pid, usename, application_name, xact_start, query FROM pg_stat_activity WHERE xact_start IS NOT NULL ORDER BY " +
      "xact_start; wait for its end or end it with SELECT pg_terminate_backend(pid); then run the migration again.",
    { cause },
  );
}
