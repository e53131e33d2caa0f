import type { Pool, PoolClient } from "pg";
import { CONTRACT_VERSION } from "../contract-version.ts";
import { freeBytes } from "../../lib/free-bytes.ts";
import type { PayloadEncoding } from "../payload-encoding.ts";
import { rowArray, type RowTypes, type SnapshotRows } from "./snapshot-rows.ts";

export interface ClaimedRun {
  organizationId: string;
  scanRunId: string;
  /** Which attempt this is, from 1. It is the fencing token too: an older one may no longer write. */
  attempt: number;
  /** Of the attempts before, those that ended for a reason which was not the run's. */
  attemptsExcused: number;
  body: Buffer;
  bodyEncoding: PayloadEncoding;
  /** SHA-256 of the request's body, as the api computed it when it accepted the run. */
  bodyHash: Buffer;
  rowTypes: RowTypes;
}

interface ClaimedRow {
  organization_id: string;
  scan_run_id: string;
  attempt: number;
  attempts_excused: number;
  body: Buffer;
  body_encoding: PayloadEncoding;
  body_hash: Buffer;
  endpoint_row_type: number;
  finding_row_type: number;
}

/**
 * The only way to obtain runs: leases due ones of one organization, the next after `afterOrganizationId` in turn.
 * Who neither finishes nor extends the lease within `leaseMs` loses them to the next claim. What was claimed twice and
 * not finished comes alone.
 */
export async function claimRuns(
  pool: Pool,
  options: { afterOrganizationId: string; runsMax: number; bytesMax: number; leaseMs: number },
): Promise<ClaimedRun[]> {
  const { rows } = await pool.query<ClaimedRow>({
    name: "claim_scan_payloads",
    text: `SELECT organization_id, scan_run_id, attempt, attempts_excused, body, body_encoding, body_hash,
                  endpoint_row_type, finding_row_type
           FROM claim_scan_payloads($1, $2, $3, $4 * interval '1 millisecond')`,
    values: [options.afterOrganizationId, options.runsMax, options.bytesMax, options.leaseMs],
  });
  return rows.map((row) => ({
    organizationId: row.organization_id,
    scanRunId: row.scan_run_id,
    attempt: row.attempt,
    attemptsExcused: row.attempts_excused,
    body: row.body,
    bodyEncoding: row.body_encoding,
    bodyHash: row.body_hash,
    rowTypes: { endpoint: row.endpoint_row_type, finding: row.finding_row_type },
  }));
}

interface Fence {
  scanRunId: string;
  attempt: number;
}

/** A run and the content that it is to be completed with. */
export interface RunToPersist extends Fence {
  snapshot: SnapshotRows;
}

/**
 * Persists runs of one organization in one statement and its commit: the rows of contents that are not stored yet, and
 * the runs' completion. A run whose lease is no longer the caller's is left alone.
 *
 * @returns how many runs were completed, and how many rows were written
 */
export async function persistScanRuns(
  pool: Pool,
  options: { organizationId: string; rowTypes: RowTypes; runs: readonly RunToPersist[] },
): Promise<{ completed: number; rows: number }> {
  const { organizationId, rowTypes, runs } = options;
  // Content that several runs of the batch share is sent once.
  const snapshots = [
    ...new Map(runs.map(({ snapshot }) => [snapshot.id.toString("hex"), snapshot])).values(),
  ];
  const findings = rowArray(
    rowTypes.finding,
    snapshots.map((snapshot) => snapshot.findings),
  );
  const endpoints = rowArray(
    rowTypes.endpoint,
    snapshots.map((snapshot) => snapshot.endpoints),
  );
  const { rows } = await pool.query<{ completed: number; row_count: number }>({
    name: "persist_scan_runs",
    // The larger parameter comes last: the driver's buffer grows with each, and copies what it has.
    text: `SELECT completed, row_count FROM persist_scan_runs(
             $1, $2, $3, $4, $7::snapshot_endpoint_row[], $6::snapshot_finding_row[], $5)`,
    values: [
      organizationId,
      runs.map((run) => run.scanRunId),
      runs.map((run) => run.attempt),
      runs.map((run) => run.snapshot.id),
      CONTRACT_VERSION,
      findings,
      endpoints,
    ],
  });
  // Of one snapshot alone they are no copies but the caller's own rows.
  if (snapshots.length > 1) [findings, endpoints].forEach(freeBytes);
  return { completed: rows[0]?.completed ?? 0, rows: rows[0]?.row_count ?? 0 };
}

/**
 * Keeps claimed runs of one organization for another `leaseMs` from now.
 *
 * @returns how many were still the caller's, and not being written to at this moment
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
 * Gives a claimed run back, to be claimed again after `delayMs`. An attempt that is excused does not count. Does
 * nothing when the lease was lost.
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
 * Ends a claimed run as failed. Its payload stays, out of every claim's reach, so that it can be inspected. Does
 * nothing when the lease was lost.
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
