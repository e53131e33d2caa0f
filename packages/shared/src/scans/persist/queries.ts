import type { Pool, PoolClient } from "pg";
import { CONTRACT_VERSION } from "../contract-version.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "../schema.ts";

export interface ClaimedRun {
  organizationId: string;
  scanRunId: string;
  /** Which attempt this is, from 1. It is the fencing token too: an older one may no longer write. */
  attempt: number;
  body: Buffer;
  bodyEncoding: "zstd" | "identity";
}

interface ClaimedRow {
  organization_id: string;
  scan_run_id: string;
  attempt: number;
  body: Buffer;
  body_encoding: "zstd" | "identity";
}

/**
 * The only way to obtain runs: leases due ones of one organization, the next after `afterOrganizationId` in turn.
 * Who doesn't finish within `leaseMs` loses them to the next claim.
 */
export async function claimRuns(
  pool: Pool,
  options: { afterOrganizationId: string; runsMax: number; bytesMax: number; leaseMs: number },
): Promise<ClaimedRun[]> {
  const { rows } = await pool.query<ClaimedRow>({
    name: "claim_scan_runs",
    text: `SELECT organization_id, scan_run_id, attempt, body, body_encoding
           FROM claim_scan_runs($1, $2, $3, $4 * interval '1 millisecond')`,
    values: [options.afterOrganizationId, options.runsMax, options.bytesMax, options.leaseMs],
  });
  return rows.map((row) => ({
    organizationId: row.organization_id,
    scanRunId: row.scan_run_id,
    attempt: row.attempt,
    body: row.body,
    bodyEncoding: row.body_encoding,
  }));
}

interface Fence {
  scanRunId: string;
  attempt: number;
}

/** Of these runs those whose lease is still the caller's, locked until the transaction ends. */
export async function lockClaimedRuns(
  client: PoolClient,
  organizationId: string,
  runs: readonly Fence[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ scan_run_id: string }>({
    name: "lock_claimed_runs",
    text: `SELECT p.scan_run_id
           FROM scan_payloads p
           JOIN unnest($2::uuid[], $3::integer[]) AS held (scan_run_id, attempt)
             ON held.scan_run_id = p.scan_run_id AND held.attempt = p.attempts
           WHERE p.organization_id = $1 AND p.available_at IS NOT NULL
           ORDER BY p.scan_run_id
           FOR UPDATE OF p`,
    values: [organizationId, runs.map((run) => run.scanRunId), runs.map((run) => run.attempt)],
  });
  return new Set(rows.map((row) => row.scan_run_id));
}

/** Of these snapshots (hex ids) those not stored yet, each locked for this transaction. */
export async function lockMissingSnapshots(
  client: PoolClient,
  organizationId: string,
  snapshotIds: readonly string[],
): Promise<Set<string>> {
  const sorted = [...new Set(snapshotIds)].toSorted();
  const { rows } = await client.query<{ id: Buffer }>({
    name: "lock_missing_snapshots",
    text: "SELECT id FROM lock_missing_snapshots($1, $2::bytea[]) AS id",
    values: [organizationId, sorted.map((id) => Buffer.from(id, "hex"))],
  });
  return new Set(rows.map((row) => row.id.toString("hex")));
}

export interface SnapshotContent {
  /** Hex. */
  id: string;
  endpoints: readonly NormalizedEndpoint[];
  findings: readonly NormalizedFinding[];
}

/** Stores the snapshots' rows and then the snapshots, with the counts of the rows really inserted. */
export async function insertSnapshots(
  client: PoolClient,
  organizationId: string,
  snapshots: readonly SnapshotContent[],
): Promise<void> {
  await client.query({
    name: "insert_snapshots",
    text: INSERT_SNAPSHOTS_SQL,
    values: [organizationId, JSON.stringify(snapshots)],
  });
}

const INSERT_SNAPSHOTS_SQL = `
  WITH content AS (
    SELECT decode(c->>'id', 'hex') AS id, c->'endpoints' AS endpoints, c->'findings' AS findings
    FROM jsonb_array_elements($2::jsonb) AS c
  ), endpoints AS (
    INSERT INTO snapshot_endpoints
      (organization_id, snapshot_id, ordinal, method, path, operation_id, tags, summary)
    SELECT $1, content.id, e.ordinal - 1, e.method, e.path, e."operationId", e.tags, e.summary
    FROM content,
      ROWS FROM (jsonb_to_recordset(content.endpoints)
        AS (method text, path text, "operationId" text, tags text[], summary text))
      WITH ORDINALITY AS e (method, path, "operationId", tags, summary, ordinal)
    RETURNING snapshot_id
  ), findings AS (
    INSERT INTO snapshot_findings
      (organization_id, snapshot_id, ordinal, code, severity, message, method, path)
    SELECT $1, content.id, f.ordinal - 1, f.code, f.severity, f.message, f.method, f.path
    FROM content,
      ROWS FROM (jsonb_to_recordset(content.findings)
        AS (code text, severity text, message text, method text, path text))
      WITH ORDINALITY AS f (code, severity, message, method, path, ordinal)
    RETURNING snapshot_id, severity
  ), endpoint_counts AS (
    SELECT snapshot_id, count(*) AS total FROM endpoints GROUP BY snapshot_id
  ), finding_counts AS (
    SELECT snapshot_id, sum(total) AS total, jsonb_object_agg(severity, total) AS by_severity
    FROM (SELECT snapshot_id, severity, count(*) AS total FROM findings GROUP BY snapshot_id, severity) AS s
    GROUP BY snapshot_id
  )
  INSERT INTO snapshots (organization_id, id, endpoint_count, finding_count, findings_by_severity)
  SELECT $1, content.id, coalesce(e.total, 0), coalesce(f.total, 0), coalesce(f.by_severity, '{}')
  FROM content
  LEFT JOIN endpoint_counts e ON e.snapshot_id = content.id
  LEFT JOIN finding_counts f ON f.snapshot_id = content.id
  ORDER BY content.id`;

export interface CompletedRun {
  scanRunId: string;
  /** Hex. */
  snapshotId: string;
}

/**
 * Marks runs completed, moves their services' current run forward, and turns their payloads into receipts. Runs of
 * one service count in their order, so that `unchanged` is true for what equals the current run at that point.
 */
export async function completeRuns(
  client: PoolClient,
  organizationId: string,
  runs: readonly CompletedRun[],
): Promise<void> {
  const ids = runs.map((run) => run.scanRunId);
  // Services first and in order: two workers that complete runs of the same services wait for one another.
  await client.query({
    name: "lock_services_of_runs",
    text: LOCK_SERVICES_SQL,
    values: [organizationId, ids],
  });
  await client.query({
    name: "complete_runs",
    text: COMPLETE_RUNS_SQL,
    values: [organizationId, ids, runs.map((run) => Buffer.from(run.snapshotId, "hex"))],
  });
  await client.query({
    name: "see_and_promote_runs",
    text: SEE_AND_PROMOTE_SQL,
    values: [organizationId, ids],
  });
  await client.query({
    name: "leave_receipts",
    text: LEAVE_RECEIPTS_SQL,
    values: [organizationId, ids, CONTRACT_VERSION],
  });
}

const LOCK_SERVICES_SQL = `
  SELECT s.id FROM services s
  WHERE s.organization_id = $1 AND s.id IN (
    SELECT r.service_id FROM scan_runs r WHERE r.organization_id = $1 AND r.id = ANY($2::uuid[]))
  ORDER BY s.id
  FOR NO KEY UPDATE`;

// "Current at that point" is the newest promoted run that is older than this one: one of this batch, or else what
// the service has now.
const COMPLETE_RUNS_SQL = `
  WITH done AS (
    SELECT r.id, r.service_id, r.ordered_at, r.promote, d.snapshot_id
    FROM unnest($2::uuid[], $3::bytea[]) AS d (id, snapshot_id)
    JOIN scan_runs r ON r.organization_id = $1 AND r.id = d.id
  )
  UPDATE scan_runs r
  SET status = 'completed', snapshot_id = done.snapshot_id, completed_at = now(),
      unchanged = done.snapshot_id IS NOT DISTINCT FROM coalesce(
        (SELECT earlier.snapshot_id FROM done earlier
         WHERE earlier.service_id = done.service_id AND earlier.promote
           AND (earlier.ordered_at, earlier.id) < (done.ordered_at, done.id)
           AND (s.current_run_id IS NULL
                OR (earlier.ordered_at, earlier.id) > (s.current_ordered_at, s.current_run_id))
         ORDER BY earlier.ordered_at DESC, earlier.id DESC LIMIT 1),
        current_run.snapshot_id)
  FROM done
  JOIN services s ON s.organization_id = $1 AND s.id = done.service_id
  LEFT JOIN scan_runs current_run ON current_run.organization_id = $1 AND current_run.id = s.current_run_id
  WHERE r.organization_id = $1 AND r.id = done.id AND r.status = 'accepted'`;

const SEE_AND_PROMOTE_SQL = `
  SELECT see_snapshot($1, r.service_id, r.snapshot_id, r.ordered_at),
         CASE WHEN r.promote THEN promote_scan_run($1, r.service_id, r.id, r.ordered_at) END
  FROM scan_runs r
  WHERE r.organization_id = $1 AND r.id = ANY($2::uuid[]) AND r.status = 'completed'
  ORDER BY r.service_id, r.ordered_at, r.id`;

const LEAVE_RECEIPTS_SQL = `
  WITH done AS (
    DELETE FROM scan_payloads WHERE organization_id = $1 AND scan_run_id = ANY($2::uuid[])
    RETURNING scan_run_id, body_hash
  )
  INSERT INTO scan_receipts (organization_id, contract_version, body_hash, service_id, spec_hash, spec_format,
                             spec_version, spec_title, endpoint_count, finding_count, snapshot_id)
  SELECT $1, $3, done.body_hash, r.service_id, r.spec_hash, r.spec_format, r.spec_version, r.spec_title,
         r.endpoint_count, r.finding_count, r.snapshot_id
  FROM done
  JOIN scan_runs r ON r.organization_id = $1 AND r.id = done.scan_run_id
  ORDER BY done.body_hash
  ON CONFLICT (organization_id, contract_version, body_hash) DO NOTHING`;

/** Gives a claimed run back, to be claimed again after `delayMs`. Does nothing when the lease was lost. */
export async function releaseRun(
  client: PoolClient,
  run: Fence & { organizationId: string },
  options: { delayMs: number; reason: string },
): Promise<void> {
  await client.query(
    `UPDATE scan_payloads SET available_at = now() + $4 * interval '1 millisecond', last_error = $5
     WHERE organization_id = $1 AND scan_run_id = $2 AND attempts = $3 AND available_at IS NOT NULL`,
    [run.organizationId, run.scanRunId, run.attempt, options.delayMs, options.reason],
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

export interface UnannouncedRun {
  organizationId: string;
  scanRunId: string;
  /** How often the run was announced to the queue again; part of the job's id. */
  publishCount: number;
}

/** Runs that have been due for `olderThanMs` without being announced to the queue again, marked as announced. */
export async function takeUnannouncedRuns(
  pool: Pool,
  options: { olderThanMs: number; runsMax: number },
): Promise<UnannouncedRun[]> {
  const { rows } = await pool.query<{ organization_id: string; scan_run_id: string; publish_count: number }>(
    "SELECT * FROM take_unannounced_scan_runs($1 * interval '1 millisecond', $2)",
    [options.olderThanMs, options.runsMax],
  );
  return rows.map((row) => ({
    organizationId: row.organization_id,
    scanRunId: row.scan_run_id,
    publishCount: row.publish_count,
  }));
}
