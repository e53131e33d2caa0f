import { DatabaseError, type Pool, type PoolClient } from "pg";
import { encodeEndpointRows, encodeFindingRows } from "../content/encode-rows.ts";
import type { ChunkItems } from "../content/packed-chunks.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/** A chunk of the run's snapshot is missing, or the counts of its chunks differ from the run's. */
const CONTENT_INCOMPLETE = "WM003";

/** The OIDs of the types `chunk_endpoint_row` and `chunk_finding_row` in the database. */
interface RowTypes {
  endpoint: number;
  finding: number;
}

export interface ClaimedRun {
  organizationId: string;
  scanRunId: string;
  /** The number of this attempt, from 1. Also the fencing token: an older attempt can't write any more. */
  attempt: number;
  /** The number of earlier attempts that failed for a reason unrelated to the run. */
  attemptsExcused: number;
  /** The chunks sent with it, for `decompressChunks`. */
  items: Buffer;
  rowTypes: RowTypes;
}

interface ClaimedRow {
  organization_id: string;
  scan_run_id: string;
  attempt: number;
  attempts_excused: number;
  items: Buffer;
  endpoint_row_type: number;
  finding_row_type: number;
}

/**
 * The only way to get runs: leases the due ones of one organization, the next after `afterOrganizationId`. If the lease is
 * neither ended nor extended within `leaseMs`, the next claim takes the runs. A run that was claimed twice and not finished
 * is returned individually.
 */
export async function claimRuns(
  pool: Pool,
  options: { afterOrganizationId: string; runsMax: number; bytesMax: number; leaseMs: number },
): Promise<ClaimedRun[]> {
  const { rows } = await pool.query<ClaimedRow>({
    name: "claim_scan_runs",
    text: `SELECT organization_id, scan_run_id, attempt, attempts_excused, items, endpoint_row_type, finding_row_type
           FROM claim_scan_runs($1, $2, $3, $4 * interval '1 millisecond')`,
    values: [options.afterOrganizationId, options.runsMax, options.bytesMax, options.leaseMs],
  });
  return rows.map((row) => ({
    organizationId: row.organization_id,
    scanRunId: row.scan_run_id,
    attempt: row.attempt,
    attemptsExcused: row.attempts_excused,
    items: row.items,
    rowTypes: { endpoint: row.endpoint_row_type, finding: row.finding_row_type },
  }));
}

interface Fence {
  scanRunId: string;
  attempt: number;
}

/** A run and the chunks sent with it. */
export interface RunToPersist extends Fence {
  endpoints: readonly ChunkItems<NormalizedEndpoint>[];
  findings: readonly ChunkItems<NormalizedFinding>[];
}

/**
 * Persists runs of one organization in one statement and its commit: chunks that are not stored yet, the snapshots, and
 * the runs' completion. Ignores runs whose lease the caller has lost.
 *
 * @returns how many runs were completed, and how many rows were written
 * @throws DatabaseError; `isContentIncomplete` identifies those that a retry can't fix
 */
export async function persistScanRuns(
  pool: Pool,
  options: { organizationId: string; rowTypes: RowTypes; runs: readonly RunToPersist[] },
): Promise<{ completed: number; rows: number }> {
  const { organizationId, rowTypes, runs } = options;
  const findings = runs.flatMap((run) => run.findings);
  const endpoints = runs.flatMap((run) => run.endpoints);
  const { rows } = await pool.query<{ completed: number; row_count: number }>({
    name: "persist_scan_runs",
    // The larger parameter comes last, because the driver's buffer grows with each parameter and is copied.
    text: `SELECT completed, row_count
           FROM persist_scan_runs($1, $2, $3, $5::chunk_endpoint_row[], $4::chunk_finding_row[])`,
    values: [
      organizationId,
      runs.map((run) => run.scanRunId),
      runs.map((run) => run.attempt),
      encodeFindingRows(rowTypes.finding, findings),
      encodeEndpointRows(rowTypes.endpoint, endpoints),
    ],
  });
  return { completed: rows[0]?.completed ?? 0, rows: rows[0]?.row_count ?? 0 };
}

/** Whether `persistScanRuns` failed because rows of a snapshot are missing both in the database and in the run. */
export function isContentIncomplete(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === CONTENT_INCOMPLETE;
}

/**
 * Extends the leases of claimed runs of one organization to `leaseMs` from now.
 *
 * @returns how many the caller still held; locked runs don't count
 */
export async function extendLeases(
  pool: Pool,
  options: { organizationId: string; runs: readonly Fence[]; leaseMs: number },
): Promise<number> {
  const { rows } = await pool.query<{ extended: number }>(
    "SELECT extend_scan_leases($1, $2, $3, $4 * interval '1 millisecond') AS extended",
    [
      options.organizationId,
      options.runs.map((run) => run.scanRunId),
      options.runs.map((run) => run.attempt),
      options.leaseMs,
    ],
  );
  return rows[0]?.extended ?? 0;
}

/**
 * Releases a claimed run, which can be claimed again after `delayMs`. An excused attempt does not count. Does nothing if
 * the lease was lost.
 */
export async function releaseRun(
  client: PoolClient,
  run: Fence & { organizationId: string },
  options: { delayMs: number; reason: string; excused: boolean },
): Promise<void> {
  await client.query(
    `UPDATE scan_payloads
     SET available_at = now() + $4 * interval '1 millisecond', last_error = $5,
         attempts_excused = attempts_excused + $6
     WHERE organization_id = $1 AND scan_run_id = $2 AND attempts = $3 AND available_at IS NOT NULL`,
    [
      run.organizationId,
      run.scanRunId,
      run.attempt,
      options.delayMs,
      options.reason,
      options.excused ? 1 : 0,
    ],
  );
}

/**
 * Marks a claimed run as failed. Its payload stays for inspection and can't be claimed any more. Does nothing if the lease
 * was lost.
 */
export async function failRun(
  client: PoolClient,
  run: Fence & { organizationId: string },
  error: { code: string; message: string },
): Promise<void> {
  await client.query(
    `WITH given_up AS (
       UPDATE scan_payloads SET available_at = NULL, last_error = $5
       WHERE organization_id = $1 AND scan_run_id = $2 AND attempts = $3 AND available_at IS NOT NULL
       RETURNING organization_id, scan_run_id
     )
     UPDATE scan_runs r SET status = 'failed', error_code = $4, error_message = $5
     FROM given_up g
     WHERE r.organization_id = g.organization_id AND r.id = g.scan_run_id AND r.status = 'accepted'`,
    [run.organizationId, run.scanRunId, run.attempt, error.code, error.message],
  );
}
