import type { Pool } from "pg";

/** Reads whether runs are completed or failed, of any organizations, by their ids. A run that does not exist is left out. */
export async function readEndedScanRuns(
  pool: Pool,
  rows: readonly { organizationId: string; id: string }[],
): Promise<Map<string, boolean>> {
  const found = await pool.query<{ run_id: string; is_ended: boolean }>({
    name: "read_scan_run_progress",
    text: "SELECT run_id, is_ended FROM read_scan_run_progress($1::uuid[], $2::uuid[])",
    values: [rows.map((row) => row.organizationId), rows.map((row) => row.id)],
  });
  return new Map(found.rows.map((row) => [row.run_id, row.is_ended]));
}
