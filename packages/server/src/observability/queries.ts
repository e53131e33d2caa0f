import type { Pool } from "pg";

/** The maximum counts, so that a large backlog doesn't make counting expensive. */
export const BACKLOG_COUNT_MAX = 100_000;
export const JOURNEY_COUNT_MAX = 10_000;
const STATEMENT_TIMEOUT_MS = 2_000;

/** The work of all organizations that waits. */
export interface Backlog {
  scans: {
    /** Accepted runs that are neither completed nor failed, up to BACKLOG_COUNT_MAX. */
    unfinished: number;
    /** The time since the oldest of them was accepted; 0 if there is none. */
    oldestAgeSeconds: number;
  };
  /** Counted up to JOURNEY_COUNT_MAX. */
  journeys: {
    unfinished: number;
    /** The number of runs that no worker has. */
    waiting: number;
    /** For how long a worker could have taken the oldest of them: its organization has fewer at work than it may. */
    oldestWaitingSeconds: number;
  };
}

interface BacklogRow {
  unfinished: number;
  oldest_age_seconds: number;
  unfinished_journeys: number;
  waiting_journeys: number;
  oldest_waiting_seconds: number;
}

const NOTHING: BacklogRow = {
  unfinished: 0,
  oldest_age_seconds: 0,
  unfinished_journeys: 0,
  waiting_journeys: 0,
  oldest_waiting_seconds: 0,
};

/**
 * @param journeysRunningMax how many journeys an organization may have at work
 * @throws DatabaseError if it takes longer than 2 seconds
 */
export async function sampleBacklog(
  pool: Pool,
  { journeysRunningMax }: { journeysRunningMax: number },
): Promise<Backlog> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN READ ONLY");
    await client.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    const { rows } = await client.query<BacklogRow>(
      `SELECT s.unfinished, s.oldest_age_seconds, j.unfinished AS unfinished_journeys, j.waiting AS waiting_journeys,
              j.oldest_waiting_seconds
       FROM sample_scan_backlog($1) s, sample_journey_backlog($2, $3) j`,
      [BACKLOG_COUNT_MAX, JOURNEY_COUNT_MAX, journeysRunningMax],
    );
    const row = rows[0] ?? NOTHING;
    return {
      scans: { unfinished: row.unfinished, oldestAgeSeconds: row.oldest_age_seconds },
      journeys: {
        unfinished: row.unfinished_journeys,
        waiting: row.waiting_journeys,
        oldestWaitingSeconds: row.oldest_waiting_seconds,
      },
    };
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
