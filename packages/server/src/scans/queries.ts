import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { TimePosition } from "../lib/cursor.ts";
import { KeyOwner } from "@waymark/shared/api-keys/schema.ts";
import { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { RunGate } from "@waymark/shared/scans/gates/schema.ts";
import { ownerOf } from "../db/owner-of.ts";
import { joinOwner, PRINCIPAL_SUMMARY } from "../db/principal-summary.ts";
import { aliasesOf } from "../db/service-aliases.ts";
import { judgedGates } from "../db/stored-gates.ts";
import { findingCountsOf } from "../lib/finding-counts.ts";
import { StoredSource } from "../lib/stored-source.ts";
import { PROMOTION_UNDO_MINUTES, type ScanRun, ScanRunStatus } from "@waymark/shared/scans/schema.ts";

const ScanRunRow = z.object({
  id: z.string(),
  service_id: z.string(),
  service_name: z.string(),
  owner_team: TeamSummary.nullable(),
  status: ScanRunStatus,
  spec_hash: z.string(),
  spec_format: z.enum(["openapi"]),
  spec_version: z.string().nullable(),
  spec_title: z.string().nullable(),
  endpoint_count: z.number(),
  finding_count: z.number(),
  findings_by_severity: z.record(z.string(), z.number()).nullable(),
  unchanged: z.boolean(),
  promote: z.boolean(),
  source: StoredSource,
  gates: z.array(RunGate).nullable(),
  created_by_key_id: z.string(),
  creator: KeyOwner,
  created_at: z.string(),
  scanned_at: z.string(),
  completed_at: z.string().nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
});

const selectScanRun = (more: FragmentSqlToken) => sql.fragment`
  SELECT r.id, r.service_id, s.name AS service_name, ${ownerOf(sql.fragment`s`)} AS owner_team, r.status, r.spec_hash, r.spec_format, r.spec_version,
         r.spec_title, r.endpoint_count, r.finding_count, n.findings_by_severity, r.unchanged,
         r.promote, r.source, ${judgedGates(sql.fragment`r.gates`)} AS gates, r.created_by_key_id,
         ${PRINCIPAL_SUMMARY} AS creator, r.created_at, r.ordered_at AS scanned_at, r.completed_at, r.error_code, r.error_message ${more}
  FROM scan_runs r
  JOIN services s ON s.organization_id = r.organization_id AND s.id = r.service_id
  LEFT JOIN snapshots n ON n.organization_id = r.organization_id AND n.id = r.snapshot_id
  ${joinOwner({ organizationId: sql.fragment`r.organization_id`, keyId: sql.fragment`r.created_by_key_id` })}`;
const SELECT_SCAN_RUN = selectScanRun(sql.fragment``);

/** A time with its microseconds. Other columns have milliseconds, which don't name a position. */
export const exactTime = (time: FragmentSqlToken): FragmentSqlToken =>
  sql.fragment`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A condition for runs `r` before a position, newest first. It compares values: the run at the position may be deleted. */
export const isBefore = (position: TimePosition | null): FragmentSqlToken =>
  position === null
    ? sql.fragment``
    : sql.fragment`AND (r.ordered_at, r.id) < (${position[0]}::timestamptz, ${position[1]}::uuid)`;

/** A run with all other names of its service, by which a key may be limited. */
export interface FoundScanRun extends ScanRun {
  serviceAliases: readonly string[];
}

export async function findScanRun(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; scanRunId: string },
): Promise<FoundScanRun | null> {
  const row = await db.maybeOne(sql.type(ScanRunRow.extend({ service_aliases: z.array(z.string()) }))`
    ${selectScanRun(sql.fragment`, ${aliasesOf(sql.fragment`s`)} AS service_aliases`)}
    WHERE r.organization_id = ${options.organizationId} AND r.id = ${options.scanRunId}`);
  return row === null ? null : { ...toScanRun(row), serviceAliases: row.service_aliases };
}

/**
 * Lists a service's runs, newest first by the time of the scan: up to `limit + 1`, so that the caller sees whether there are more.
 *
 * @param options.branch null for every branch, and for runs without one
 */
export async function listScanRunsOfService(
  db: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    serviceId: string;
    branch: string | null;
    limit: number;
    after: TimePosition | null;
  },
): Promise<{ run: ScanRun; position: TimePosition }[]> {
  const { branch } = options;
  const ofBranch = branch === null ? sql.fragment`` : sql.fragment`AND r.branch = ${branch}`;
  const rows = await db.any(sql.type(ScanRunRow.extend({ exact_ordered_at: z.string() }))`
    ${selectScanRun(sql.fragment`, ${exactTime(sql.fragment`r.ordered_at`)} AS exact_ordered_at`)}
    WHERE r.organization_id = ${options.organizationId} AND r.service_id = ${options.serviceId} ${ofBranch}
      ${isBefore(options.after)}
    ORDER BY r.ordered_at DESC, r.id DESC
    LIMIT ${options.limit + 1}`);
  return rows.map((row) => ({ run: toScanRun(row), position: [row.exact_ordered_at, row.id] }));
}

const RecentRunRow = z.object({
  service_id: z.string(),
  id: z.string(),
  ordered_at: z.string(),
  endpoint_count: z.number(),
  finding_count: z.number(),
});

/**
 * The last `limit` completed and promoted runs of each service, oldest first. One query for all services, which reads the
 * index of each service from its end.
 */
export async function listRecentRuns(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; serviceIds: readonly string[]; limit: number },
): Promise<z.infer<typeof RecentRunRow>[]> {
  const rows = await db.any(sql.type(RecentRunRow)`
    SELECT s.service_id, r.id, r.ordered_at, r.endpoint_count, r.finding_count
    FROM unnest(${sql.array(options.serviceIds, "uuid")}) AS s (service_id)
    CROSS JOIN LATERAL (
      SELECT h.id, h.ordered_at, h.endpoint_count, h.finding_count FROM service_history(${options.organizationId}, s.service_id) h
      ORDER BY h.ordered_at DESC, h.id DESC
      LIMIT ${options.limit}
    ) r
    ORDER BY r.ordered_at, r.id`);
  return [...rows];
}

/** The newest completed and promoted run of the same service before this one; null for the first. */
export async function findPreviousScanRun(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; scanRunId: string },
): Promise<ScanRun | null> {
  const row = await db.maybeOne(sql.type(ScanRunRow)`
    ${SELECT_SCAN_RUN}
    WHERE r.organization_id = ${options.organizationId} AND r.id = (
      SELECT p.id FROM previous_scan_run(${options.organizationId}, ${options.scanRunId}) p)`);
  return row === null ? null : toScanRun(row);
}

/** The newest completed run of a branch of a service: of its default branch the newest promoted one; null if there is none. */
export async function findLastRunOfBranch(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; serviceId: string; branch: string },
): Promise<ScanRun | null> {
  const { organizationId, serviceId, branch } = options;
  const row = await db.maybeOne(sql.type(ScanRunRow)`
    ${SELECT_SCAN_RUN}
    WHERE r.organization_id = ${organizationId} AND r.id = (
      SELECT l.id FROM last_run_of_branch(${organizationId}, ${serviceId}, ${branch}, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff') l)`);
  return row === null ? null : toScanRun(row);
}

/**
 * Promotes a run to its service's current one: immediately if it is completed and newer than the current run, otherwise
 * when it is completed. Ignores failed runs.
 *
 * @returns false if the run was promoted before
 */
export async function promoteScanRun(
  db: DatabaseTransactionConnection,
  run: { organizationId: string; scanRunId: string },
): Promise<boolean> {
  await db.query(sql.type(z.object({}))`
    SELECT FROM services s
    WHERE s.organization_id = ${run.organizationId} AND s.id = (
      SELECT r.service_id FROM scan_runs r
      WHERE r.organization_id = ${run.organizationId} AND r.id = ${run.scanRunId})
    FOR NO KEY UPDATE`);
  const { rowCount } = await db.query(sql.type(z.object({}))`
    UPDATE scan_runs r SET promote = true, promotion = jsonb_build_object(
      'at', now(), 'previousRunId', s.current_run_id, 'firstSeenAt', n.first_seen_at, 'lastSeenAt', n.last_seen_at)
    FROM services s
    LEFT JOIN scan_payloads p ON p.organization_id = s.organization_id AND p.scan_run_id = ${run.scanRunId}
    LEFT JOIN scan_runs c ON c.organization_id = s.organization_id AND c.id = ${run.scanRunId}
    LEFT JOIN service_snapshots n ON n.organization_id = s.organization_id AND n.service_id = s.id
      AND n.snapshot_id = coalesce(c.snapshot_id, p.snapshot_id)
    WHERE r.organization_id = ${run.organizationId} AND r.id = ${run.scanRunId} AND NOT r.promote
      AND s.organization_id = r.organization_id AND s.id = r.service_id`);
  if (rowCount === 0) return false;
  await db.query(sql.type(z.object({ promote_scan_run: z.unknown() }))`
    SELECT promote_scan_run(r.organization_id, r.service_id, r.id, r.snapshot_id, r.ordered_at)
    FROM scan_runs r
    WHERE r.organization_id = ${run.organizationId} AND r.id = ${run.scanRunId} AND r.status = 'completed'`);
  return true;
}

const UndoOutcome = z.enum(["undone", "not_promoted", "final", "superseded"]);

/**
 * Makes what was current before a promotion current again.
 *
 * @returns `not_promoted` if the run is not promoted, `final` if no request promoted it in the last PROMOTION_UNDO_MINUTES minutes,
 *   `superseded` if another run became current since
 */
export function undoPromotion(
  db: DatabaseTransactionConnection,
  { organizationId, scanRunId }: { organizationId: string; scanRunId: string },
): Promise<z.infer<typeof UndoOutcome>> {
  return db.oneFirst(sql.type(z.object({ undo_promotion: UndoOutcome }))`
    SELECT undo_promotion(${organizationId}, ${scanRunId}, now() - ${PROMOTION_UNDO_MINUTES} * interval '1 minute')`);
}

function toScanRun(row: z.infer<typeof ScanRunRow>): ScanRun {
  const bySeverity = row.findings_by_severity;
  return {
    id: row.id,
    serviceId: row.service_id,
    serviceName: row.service_name,
    ownerTeam: row.owner_team,
    status: row.status,
    spec: {
      hash: row.spec_hash,
      format: row.spec_format,
      version: row.spec_version,
      title: row.spec_title,
    },
    endpointCount: row.endpoint_count,
    findingCount: row.finding_count,
    findingsBySeverity: bySeverity === null ? null : findingCountsOf(bySeverity),
    unchanged: row.unchanged,
    promoted: row.promote,
    source: row.source,
    gates: row.gates,
    createdByKeyId: row.created_by_key_id,
    creator: row.creator,
    createdAt: row.created_at,
    scannedAt: row.scanned_at,
    completedAt: row.completed_at,
    error:
      row.error_code === null || row.error_message === null
        ? null
        : { code: row.error_code, message: row.error_message },
  };
}
