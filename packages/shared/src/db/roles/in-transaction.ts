import type { Client } from "pg";
import { toError } from "../../lib/to-error.ts";

const TRIES_MAX = 10;

/**
 * Runs `work` in a transaction, again where somebody else changed the same roles or privileges at that moment. Roles
 * belong to the whole server, so another database's migration may.
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

/** Made by another at this moment (42710, 23505), or changed by another ("tuple concurrently updated"). */
function isConcurrentChange(error: Error): boolean {
  const made = "code" in error && (error.code === "42710" || error.code === "23505");
  return made || error.message.startsWith("tuple concurrently");
}
