import type { Client } from "pg";
import { createPgClient } from "./address/primary-client.ts";

const TIMEOUT_MS = 10_000;

/**
 * Refuses a pooler that gives a session's statements to changing connections of the server (transaction pooling). There, a
 * session's lock stays on a connection that others get, and so does a session's setting.
 *
 * Two sessions with one server connection prove it, and so does a session whose server connection changes. A pooler that
 * keeps one connection for each session is not refused.
 *
 * @param client an open connection to the address
 * @throws Error that says what to do
 */
export async function refusePooler(client: Client, databaseUrl: string): Promise<void> {
  const other = createPgClient(databaseUrl, {
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  const own = await serverConnection(client);
  await other.connect();
  try {
    // In a transaction, so that a pooler can't give its connection to the first session.
    await other.query("BEGIN");
    const isShared = (await serverConnection(other)) === own;
    if (!isShared && (await serverConnection(client)) === own) return;
  } finally {
    await other.end();
  }
  throw new Error(
    "The address leads to a pooler in transaction mode, which migrations can't use: their lock and their settings belong to one " +
      "connection. Nothing was changed. Fix: set DATABASE_DIRECT_URL to the address of Postgres itself.",
  );
}

async function serverConnection(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid ?? 0;
}
