import type { Pool, PoolClient } from "pg";
import { type DatabasePool, type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { readOnlySession } from "./unavailable.ts";

/**
 * Runs `work` in a transaction of one organization: row-level security limits it to that organization's rows. The setting
 * ends with the transaction, so a pooler in transaction mode is safe.
 */
export async function withOrganization<T>(
  db: DatabasePool,
  organizationId: string,
  work: (transaction: DatabaseTransactionConnection) => Promise<T>,
): Promise<T> {
  const ended = await db.connect(async (connection) => {
    try {
      const value = await connection.transaction(async (transaction) => {
        await transaction.query(
          sql.type(
            z.object({ set_config: z.string() }),
          )`SELECT set_config('waymark.organization_id', ${organizationId}, true)`,
        );
        return work(transaction);
      });
      return { value };
    } catch (error) {
      // Slonik closes the connection if its handler throws, and a new one takes Postgres 20 ms of processor time. After a
      // refusal the transaction was rolled back, so the connection can be used again.
      if (error instanceof AppError) return { refusal: error };
      throw error;
    }
  });
  if ("refusal" in ended) throw ended.refusal;
  return ended.value;
}

/** Like `withOrganization`, on a connection of a `PgPool`. If the connection fails, it is closed and not reused. */
export async function withOrganizationClient<T>(
  pool: Pool,
  organizationId: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    await client.query("SELECT set_config('waymark.organization_id', $1, true)", [organizationId]);
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    broken = readOnlySession(error);
    await client.query("ROLLBACK").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
