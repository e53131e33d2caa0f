import type { Client } from "pg";

const OLDEST_MAJOR = 15;

/** @throws Error if the server is older than the versions that Waymark is tested with */
export async function refuseOldServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: string; number: string }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number",
  );
  if (Math.floor(Number(rows[0]?.number) / 10_000) >= OLDEST_MAJOR) return;
  throw new Error(
    `Postgres ${rows[0]?.version} is too old: Waymark needs Postgres ${OLDEST_MAJOR} or later. Nothing was changed. ` +
      "Fix: upgrade the server, or name another one in DATABASE_URL.",
  );
}
