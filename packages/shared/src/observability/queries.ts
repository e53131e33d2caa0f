import type { Pool } from "pg";

/** The maximum count, so that a large backlog doesn't make counting expensive. */
export const BACKLOG_COUNT_MAX = 100_000;
const STATEMENT_TIMEOUT_MS = 2_000;

export interface ScanBacklog {
  /** Accepted runs of all organizations that are neither completed nor failed, up to BACKLOG_COUNT_MAX. */
  unfinished: number;
  /** The time since the oldest of them was accepted; 0 if there is none. */
  oldestAgeSeconds: number;
}

/** @throws DatabaseError if it takes longer than 2 seconds */
export async function sampleScanBacklog(pool: Pool): Promise<ScanBacklog> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN READ ONLY");
    await client.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    const { rows } = await client.query<{ unfinished: number; oldest_age_seconds: number }>(
      "SELECT unfinished, oldest_age_seconds FROM sample_scan_backlog($1)",
      [BACKLOG_COUNT_MAX],
    );
    const row = rows[0];
    return { unfinished: row?.unfinished ?? 0, oldestAgeSeconds: row?.oldest_age_seconds ?? 0 };
  } finally {
    await client.query("ROLLBACK").catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}

/** The trace parents of these runs by run id. Untraced runs are left out. */
export async function findTraceParents(
  pool: Pool,
  organizationId: string,
  scanRunIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ scan_run_id: string; trace_parent: string }>({
    name: "find_trace_parents",
    text: "SELECT scan_run_id, trace_parent FROM find_trace_parents($1, $2::uuid[])",
    values: [organizationId, scanRunIds],
  });
  return new Map(rows.map((row) => [row.scan_run_id, row.trace_parent]));
}
