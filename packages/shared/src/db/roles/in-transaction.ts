import type { Client } from "pg";
import { toError } from "../../lib/to-error.ts";

const TRIES_MAX = 10;

/**
 * Runs `work` in a transaction, and again if another transaction changes the same roles or privileges at the same time.
 * Roles belong to the whole server, so the migration of another database can do that.
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
      if (!isConcurrentChange(toError(error)) || tries === TRIES_MAX) throw error;
    }
  }
}

/** Another transaction has just created it (42710, 23505) or changed it ("tuple concurrently updated"). */
function isConcurrentChange(error: Error): boolean {
  const made = "code" in error && (error.code === "42710" || error.code === "23505");
  return made || error.message.startsWith("tuple concurrently");
}
