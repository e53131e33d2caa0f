import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { isAmong } from "../db/is-among.ts";
import { findingCountsOf } from "../lib/finding-counts.ts";
import { StoredSource } from "../lib/stored-source.ts";
import { ownerOf } from "../db/owner-of.ts";
import { aliasesOf } from "../db/service-aliases.ts";
import { namesOfFailedGates } from "../db/stored-gates.ts";
import { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import { Service } from "@waymark/shared/services/schema.ts";
import { isWanted, type WantedServices } from "../db/wanted-services.ts";

const ServiceRow = z.object({
  id: z.string(),
  name: z.string(),
  aliases: z.array(z.string()),
  created_at: z.string(),
  archived_at: z.string().nullable(),
  labels: Service.shape.labels,
  links: Service.shape.links,
  owner_team: TeamSummary.nullable(),
  default_branch: z.string().nullable(),
  default_branch_is_set: z.boolean(),
  current_run_id: z.string().nullable(),
  current_ordered_at: z.string().nullable(),
  endpoint_count: z.number().nullable(),
  finding_count: z.number().nullable(),
  findings_by_severity: Service.shape.findingsBySeverity,
  decided_by_severity: z.record(z.string(), z.number()),
  overdue_count: z.number(),
  last_run_id: z.string().nullable(),
  last_scanned_at: z.string().nullable(),
  last_status: z.enum(["completed", "failed"]).nullable(),
  last_promote: z.boolean().nullable(),
  last_source: StoredSource,
  last_failed_gates: z.array(z.string()),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
});

const SELECT_SERVICE = sql.fragment`
  SELECT s.id, s.name, ${aliasesOf(sql.fragment`s`)} AS aliases, s.created_at, s.archived_at, s.labels, s.links, ${ownerOf(sql.fragment`s`)} AS owner_team, s.default_branch IS NOT NULL AS default_branch_is_set,
         coalesce(s.default_branch, r.source->>'defaultBranch', (
           SELECT newest.source->>'defaultBranch' FROM scan_runs newest
           WHERE newest.organization_id = s.organization_id AND newest.service_id = s.id
           ORDER BY newest.ordered_at DESC, newest.id DESC
           LIMIT 1)) AS default_branch, s.current_run_id, s.current_ordered_at, r.endpoint_count, r.finding_count,
         n.findings_by_severity, decided_by_severity(s.organization_id, s.id) AS decided_by_severity, last.id AS last_run_id, last.ordered_at AS last_scanned_at, last.status AS last_status,
         last.promote AS last_promote, last.source AS last_source,
         ${namesOfFailedGates(sql.fragment`last.gates`)} AS last_failed_gates, last.error_code, last.error_message
  FROM services s
  LEFT JOIN scan_runs r ON r.organization_id = s.organization_id AND r.id = s.current_run_id
  LEFT JOIN snapshots n ON n.organization_id = s.organization_id AND n.id = s.current_snapshot_id
  LEFT JOIN LATERAL last_scan_run(s.organization_id, s.id, s.default_branch) last ON true`;

/** Returns the statement for services, newest first. Their overdue findings are counted together, and only if there are deadlines. */
function withOverdue(organizationId: string, selected: FragmentSqlToken) {
  return sql.type(ServiceRow)`
    WITH page AS MATERIALIZED (${SELECT_SERVICE} ${selected}), overdue AS (
      SELECT r.service_id, sum(r.overdue_count)::int AS count
      FROM list_judged_rules(${organizationId}, ARRAY(SELECT p.id FROM page p), NULL, NULL, NULL, NULL, NULL, 0) r
      WHERE EXISTS (SELECT FROM finding_deadlines(${organizationId}))
      GROUP BY r.service_id)
    SELECT p.*, coalesce(o.count, 0) AS overdue_count
    FROM page p
    LEFT JOIN overdue o ON o.service_id = p.id
    ORDER BY p.id DESC`;
}

/**
 * Lists services, newest first: up to `limit + 1` rows, so that the caller sees whether there are more.
 *
 * @param options.serviceIds the only services of the list; null for all
 * @param options.name a name or an alias of the only service of the list, archived or not; null for all
 * @param options.archived true for archived services, and no others
 * @param options.wanted the labels and the owner that each service has
 */
export async function listServices(
  db: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    serviceIds: readonly string[] | null;
    name: string | null;
    archived: boolean;
    wanted: WantedServices;
    limit: number;
    afterId: string | null;
  },
): Promise<Service[]> {
  const { organizationId, serviceIds, name, archived, wanted } = options;
  const isVisible = isAmong(sql.fragment`s.id`, serviceIds);
  const isListed =
    name === null
      ? sql.fragment`(s.archived_at IS NOT NULL) = ${archived}`
      : sql.fragment`s.id IN (
          SELECT n.id FROM services n WHERE n.organization_id = ${organizationId} AND n.name = ${name}
          UNION ALL
          SELECT a.service_id FROM service_aliases a WHERE a.organization_id = ${organizationId} AND a.name = ${name})`;
  const selected = sql.fragment`
    WHERE s.organization_id = ${organizationId} AND ${isVisible} AND ${isListed} AND ${isWanted(sql.fragment`s`, wanted)}
      AND (${options.afterId}::uuid IS NULL OR s.id < ${options.afterId}::uuid)
    ORDER BY s.id DESC
    LIMIT ${options.limit + 1}`;
  const rows = await db.any(withOverdue(organizationId, selected));
  return rows.map(toService);
}

export async function findService(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; serviceId: string },
): Promise<Service | null> {
  const { organizationId, serviceId } = options;
  const selected = sql.fragment`WHERE s.organization_id = ${organizationId} AND s.id = ${serviceId}`;
  const row = await db.maybeOne(withOverdue(organizationId, selected));
  return row === null ? null : toService(row);
}

/** Sets a service's default branch; null for the one that its scans name. Returns false if it was that before. */
export async function setDefaultBranch(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; serviceId: string; defaultBranch: string | null },
): Promise<boolean> {
  const { organizationId, serviceId, defaultBranch } = options;
  const { rowCount } = await db.query(sql.type(z.object({}))`
    UPDATE services SET default_branch = ${defaultBranch}
    WHERE organization_id = ${organizationId} AND id = ${serviceId} AND default_branch IS DISTINCT FROM ${defaultBranch}::text`);
  return rowCount > 0;
}

function toService(row: z.infer<typeof ServiceRow>): Service {
  return {
    id: row.id,
    name: row.name,
    aliases: row.aliases,
    createdAt: row.created_at,
    archivedAt: row.archived_at,
    labels: row.labels,
    links: row.links,
    ownerTeam: row.owner_team,
    currentScanRunId: row.current_run_id,
    lastScannedAt: row.current_ordered_at,
    endpointCount: row.endpoint_count,
    findingCount: row.finding_count,
    findingsBySeverity: row.findings_by_severity,
    decidedBySeverity: row.findings_by_severity === null ? null : findingCountsOf(row.decided_by_severity),
    overdueFindingCount: row.current_run_id === null ? null : row.overdue_count,
    defaultBranch: row.default_branch,
    defaultBranchIsSet: row.default_branch_is_set,
    lastFailedScan: toFailedScan(row),
    lastHeldScan: toHeldScan(row),
  };
}

function toFailedScan(row: z.infer<typeof ServiceRow>): Service["lastFailedScan"] {
  const { last_run_id, last_scanned_at, error_code, error_message } = row;
  if (row.last_status !== "failed" || last_run_id === null || last_scanned_at === null) return null;
  if (error_code === null || error_message === null) return null;
  return {
    scanRunId: last_run_id,
    scannedAt: last_scanned_at,
    error: { code: error_code, message: error_message },
  };
}

function toHeldScan(row: z.infer<typeof ServiceRow>): Service["lastHeldScan"] {
  const { last_run_id, last_scanned_at } = row;
  if (row.last_status !== "completed" || row.last_promote === true) return null;
  if (last_run_id === null || last_scanned_at === null) return null;
  const { last_source: source, last_failed_gates: failedGates } = row;
  return { scanRunId: last_run_id, scannedAt: last_scanned_at, source, failedGates };
}
