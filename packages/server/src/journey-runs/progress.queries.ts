import type { Pool } from "pg";

/** How far a run is. */
export interface JourneyRunProgress {
  /** The last step that was written; -1 if there is none. */
  lastSeq: number;
  isEnded: boolean;
}

/** Reads how far runs are, of any organizations, by their ids. A run that does not exist is left out. */
export async function readJourneyRunProgress(
  pool: Pool,
  rows: readonly { organizationId: string; id: string }[],
): Promise<Map<string, JourneyRunProgress>> {
  const found = await pool.query<{ run_id: string; last_seq: number; is_ended: boolean }>({
    name: "read_journey_run_progress",
    text: "SELECT run_id, last_seq, is_ended FROM read_journey_run_progress($1::uuid[], $2::uuid[])",
    values: [rows.map((row) => row.organizationId), rows.map((row) => row.id)],
  });
  return new Map(found.rows.map((row) => [row.run_id, { lastSeq: row.last_seq, isEnded: row.is_ended }]));
}
