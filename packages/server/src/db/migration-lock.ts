import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";

// An arbitrary constant, which must stay the same in every version of Waymark.
const MIGRATION_LOCK = 8_392_017;
const TRY_EVERY_MS = 250;

/**
 * Takes the lock that lets one migration of a database run at a time. It ends with the connection.
 *
 * @param options.onWaiting called once with a sentence, if another migration has the lock
 * @throws Error that names the connection that has the lock, after `waitMs`
 */
export async function takeMigrationLock(
  client: Client,
  { waitMs, onWaiting }: { waitMs: number; onWaiting: (message: string) => void },
): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (let isFirst = true; !(await tryLock(client)); isFirst = false) {
    const holder = await readHolder(client);
    if (holder !== undefined && isFirst) {
      onWaiting(`Another migration of this database is running (${holder.text}). Waiting for it.`);
    }
    if (Date.now() >= deadline) {
      throw new Error(
        `The lock of migrations is still taken after ${Math.ceil(waitMs / 1000)} s, by ${holder?.text ?? "a connection that just ended"}. ` +
          "Nothing was changed. Fix: run the migration again when the other one has ended. If its process is gone, end its connection " +
          `first: SELECT pg_terminate_backend(${holder?.pid ?? "pid"})`,
      );
    }
    await sleep(TRY_EVERY_MS);
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [
    MIGRATION_LOCK,
  ]);
  return rows[0]?.taken === true;
}

async function readHolder(client: Client): Promise<{ pid: number; text: string } | undefined> {
  const { rows } = await client.query<{ pid: number; text: string }>(
    `SELECT pid, format('connection %s of the login %s from %s, open since %s', pid, coalesce(usename, '?'),
         coalesce(host(client_addr), 'the same machine'), to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')) AS text
     FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND (classid, objid, objsubid) = (0, $1, 1)
       AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [MIGRATION_LOCK],
  );
  return rows[0];
}
