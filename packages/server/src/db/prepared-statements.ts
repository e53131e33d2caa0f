import type { Client } from "pg";
import { createPgClient } from "./address/primary-client.ts";

const TIMEOUT_MS = 2_000;
const STATEMENT = "waymark-probe";

/**
 * Prepares a statement of the same name in two sessions. A pooler that gives both the same server connection, and doesn't
 * support prepared statements, lets the second one fail.
 *
 * @throws Error with the code 42P05 (the statement exists) or 26000 (it doesn't exist) behind such a pooler
 */
export async function checkPreparedStatements(databaseUrl: string): Promise<void> {
  const sessions = [openSession(databaseUrl), openSession(databaseUrl)] as const;
  try {
    for (const session of sessions) {
      await session.connect();
      await prepare(session);
    }
    for (const session of sessions) await prepare(session);
  } finally {
    // Without waiting: a server that hangs doesn't close them.
    for (const session of sessions) session.end().catch(() => undefined);
  }
}

function openSession(databaseUrl: string): Client {
  const client = createPgClient(databaseUrl, {
    application_name: "waymark-readiness",
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // The failed query reports the error.
  client.on("error", () => undefined);
  return client;
}

const prepare = (session: Client) => session.query({ name: STATEMENT, text: "SELECT 1" });
