import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { isAmong } from "../db/is-among.ts";
import type { PgClient } from "../db/pool.ts";
import { TODAY } from "../db/today.ts";
import { StoredSource } from "../lib/stored-source.ts";
import { hasFailedGate, namesOfFailedGates } from "../db/stored-gates.ts";
import { deriveBatch, type DerivationBatch, type DerivedBatch } from "../lib/derivation.ts";
import {
  ConcernKind,
  type DailyTotals,
  HISTORY_DAYS,
  NewService,
  RECENT_DAYS,
  ServiceConcern,
} from "@waymark/shared/services/overview/schema.ts";

interface VisibleServices {
  organizationId: string;
  /** Null for all services. */
  serviceIds: readonly string[] | null;
}

export interface ListedServices extends VisibleServices {
  /** The most rows of each kind. */
  rows: number;
}

/** Services whose last changes a request derives; those of others are missing until a worker has derived them, within a minute. */
const UNDERIVED_MAX = 50;

function isVisible({ organizationId, serviceIds }: VisibleServices): FragmentSqlToken {
  return sql.fragment`s.organization_id = ${organizationId} AND s.archived_at IS NULL AND ${isAmong(sql.fragment`s.id`, serviceIds)}`;
}

const recent = sql.fragment`now() - ${RECENT_DAYS} * interval '1 day'`;

const TotalsRow = z.object({
  service_count: z.number(),
  endpoint_count: z.number(),
  info: z.number(),
  low: z.number(),
  medium: z.number(),
  high: z.number(),
  critical: z.number(),
});

/** The sums of all current runs. */
export async function sumCurrentRuns(
  db: DatabaseTransactionConnection,
  { organizationId, serviceIds }: VisibleServices,
): Promise<Omit<DailyTotals, "day">> {
  const services = serviceIds === null ? sql.fragment`NULL` : sql.array(serviceIds, "uuid");
  const row = await db.one(sql.type(TotalsRow)`
    SELECT service_count, endpoint_count, info, low, medium, high, critical FROM sum_current_runs(${organizationId}, ${services})`);
  return toTotals(row);
}

/** The recorded totals of the last days with changes, and the last ones before, oldest first. */
export async function listDailyTotals(
  db: DatabaseTransactionConnection,
  { organizationId }: { organizationId: string },
): Promise<DailyTotals[]> {
  const rows = await db.any(sql.type(TotalsRow.extend({ day: z.string() }))`
    SELECT day::text AS day, service_count, endpoint_count, info, low, medium, high, critical
    FROM daily_totals
    WHERE organization_id = ${organizationId}
      AND day >= coalesce((
        SELECT max(b.day) FROM daily_totals b
        WHERE b.organization_id = ${organizationId} AND b.day <= ${TODAY} - ${HISTORY_DAYS}::int), '-infinity')
    ORDER BY day`);
  return rows.map(({ day, ...row }) => ({ day, ...toTotals(row) }));
}

function toTotals(row: z.infer<typeof TotalsRow>): Omit<DailyTotals, "day"> {
  const { service_count, endpoint_count, ...findingsBySeverity } = row;
  return { serviceCount: service_count, endpointCount: endpoint_count, findingsBySeverity };
}

const ConcernRow = ServiceConcern.omit({ error: true, ownerTeam: true }).extend({
  source: StoredSource,
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  kindCount: z.number(),
});

/** Lists why services need attention: the worst kind first, then the newest, at most `rows` of each; and how many there are. */
// oxlint-disable-next-line max-lines-per-function -- one statement
export async function listConcerns(
  db: DatabaseTransactionConnection,
  { rows: rowsMax, ...visible }: ListedServices,
): Promise<{ concerns: Omit<ServiceConcern, "ownerTeam">[]; counts: Record<ConcernKind, number> }> {
  const { organizationId } = visible;
  const rows = await db.any(sql.type(ConcernRow)`
    WITH visible AS MATERIALIZED (
      SELECT s.id, s.name, s.default_branch, s.current_ordered_at, d.history IS NOT DISTINCT FROM s.history AS is_derived
      FROM services s
      LEFT JOIN service_derivations d ON d.organization_id = s.organization_id AND d.service_id = s.id AND d.kind = 'changes'
      WHERE ${isVisible(visible)}
    ), last AS (
      SELECT v.id AS service_id, v.name AS service_name, l.id AS scan_run_id, l.status, l.created_at,
             CASE WHEN l.status = 'failed' THEN 'failed' WHEN ${hasFailedGate(sql.fragment`l.gates`)} THEN 'gates' ELSE 'held' END AS kind
      FROM visible v
      CROSS JOIN LATERAL last_scan_run(${organizationId}, v.id, v.default_branch) l
      WHERE l.status = 'failed' OR NOT l.promote
    ), changed AS (
      SELECT v.id AS service_id, v.name AS service_name, c.scan_run_id, c.changed_at, c.removed_endpoints, c.new_critical, c.new_high
      FROM visible v
      JOIN service_changes c ON c.organization_id = ${organizationId} AND c.service_id = v.id AND v.is_derived
      UNION ALL
      SELECT u.id, u.name, d.scan_run_id, d.changed_at, d.removed_endpoints, d.new_critical, d.new_high
      FROM (
        SELECT v.id, v.name FROM visible v
        WHERE v.current_ordered_at > ${recent} AND NOT v.is_derived
        ORDER BY v.current_ordered_at DESC
        LIMIT ${UNDERIVED_MAX}) u
      CROSS JOIN LATERAL describe_last_change(${organizationId}, u.id) d
    ), found AS (
      SELECT kind, service_id, service_name, scan_run_id,
             created_at AS newest, 0 AS breaking, 0 AS approved, 0 AS removed_endpoints, 0 AS new_critical, 0 AS new_high
      FROM last
      UNION ALL
      SELECT CASE WHEN b.approved < b.breaking THEN 'breaking' ELSE 'accepted' END, v.id, v.name, b.scan_run_id, b.changed_at, b.breaking, b.approved, 0, 0, 0
      FROM visible v
      JOIN list_last_comparisons(${organizationId}, ${recent}) b ON b.service_id = v.id AND b.breaking > 0
      UNION ALL
      SELECT 'removed', service_id, service_name, c.scan_run_id, changed_at, 0, 0, removed_endpoints, 0, 0
      FROM changed c
      WHERE removed_endpoints > 0 AND changed_at > ${recent} AND NOT EXISTS (
        SELECT FROM scan_comparisons k
        WHERE k.organization_id = ${organizationId} AND k.scan_run_id = c.scan_run_id AND k.outcome = 'compared')
      UNION ALL
      SELECT 'severe', service_id, service_name, scan_run_id, changed_at, 0, 0, 0, new_critical, new_high
      FROM changed WHERE new_critical + new_high > 0 AND changed_at > ${recent}
    ), numbered AS (
      SELECT f.*, row_number() OVER (PARTITION BY kind ORDER BY new_critical > 0 DESC, newest DESC, service_id) AS n,
             count(*) OVER (PARTITION BY kind)::int AS "kindCount"
      FROM found f
    )
    SELECT f.kind, f.service_id AS "serviceId", f.service_name AS "serviceName", f.scan_run_id AS "scanRunId",
           coalesce(first.created_at, f.newest) AS since, r.source, ${namesOfFailedGates(sql.fragment`r.gates`)} AS "failedGates",
           r.error_code AS "errorCode", r.error_message AS "errorMessage",
           f.breaking AS "breakingChanges", f.approved AS "approvedChanges", f.removed_endpoints AS "removedEndpoints", f.new_critical AS "newCritical", f.new_high AS "newHigh", f."kindCount"
    FROM numbered f
    LEFT JOIN scan_runs r ON r.organization_id = ${organizationId} AND r.id = f.scan_run_id
    LEFT JOIN LATERAL (
      -- The first one like the last one, since a scan was promoted.
      SELECT min(i.created_at) AS created_at
      FROM services s
      JOIN scan_runs i ON i.organization_id = s.organization_id AND i.service_id = s.id
      WHERE s.organization_id = ${organizationId} AND s.id = f.service_id
        AND i.status = CASE f.kind WHEN 'failed' THEN 'failed' ELSE 'completed' END
        AND (f.kind <> 'gates' OR ${hasFailedGate(sql.fragment`i.gates`)}) AND NOT is_run_of_change(i.promote, i.source, s.default_branch)
        AND (s.current_run_id IS NULL OR (i.ordered_at, i.id) > (s.current_ordered_at, s.current_run_id))
    ) first ON f.kind IN ('gates', 'held', 'failed')
    WHERE f.n <= ${rowsMax}
    ORDER BY array_position(${sql.array(ConcernKind.options, "text")}, f.kind), f.n`);
  const counts = { breaking: 0, removed: 0, gates: 0, held: 0, failed: 0, severe: 0, accepted: 0 };
  const concerns = rows.map(({ errorCode, errorMessage, kindCount, ...concern }) => {
    counts[concern.kind] = kindCount;
    const error =
      errorCode === null || errorMessage === null ? null : { code: errorCode, message: errorMessage };
    return { ...concern, error };
  });
  return { concerns, counts };
}

/** Counts the services whose last scans are not in the changes and the totals of days yet. */
export function countPendingServices(
  db: DatabaseTransactionConnection,
  visible: VisibleServices,
): Promise<number> {
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count
    FROM services s
    WHERE ${isVisible(visible)} AND s.current_snapshot_id IS NOT NULL AND 2 > (
      SELECT count(*) FROM service_derivations d
      WHERE d.organization_id = s.organization_id AND d.service_id = s.id AND d.history = s.history AND d.kind IN ('changes', 'days'))`);
}

/** Services that were created in the last RECENT_DAYS days, newest first, and how many there are. */
export async function listNewServices(
  db: DatabaseTransactionConnection,
  { rows: rowsMax, ...visible }: ListedServices,
): Promise<{ services: readonly Omit<NewService, "ownerTeam">[]; count: number }> {
  const rows = await db.any(sql.type(NewService.omit({ ownerTeam: true }).extend({ count: z.number() }))`
    SELECT s.id AS "serviceId", s.name AS "serviceName", s.created_at AS "createdAt", n.endpoint_count AS "endpointCount",
           n.finding_count AS "findingCount", count(*) OVER ()::int AS count
    FROM services s
    LEFT JOIN snapshots n ON n.organization_id = s.organization_id AND n.id = s.current_snapshot_id
    WHERE ${isVisible(visible)} AND s.created_at > ${recent}
    ORDER BY s.created_at DESC, s.id DESC
    LIMIT ${rowsMax}`);
  return { services: rows, count: rows[0]?.count ?? 0 };
}

/** Records what the last changes of services did that are not recorded yet. */
export function recordServiceChanges(client: PgClient, batch: DerivationBatch): Promise<DerivedBatch> {
  return deriveBatch(client, "record_service_changes", batch);
}

/** Records the last run of each day of services that are not recorded yet. */
export function recordServiceDays(client: PgClient, batch: DerivationBatch): Promise<DerivedBatch> {
  return deriveBatch(client, "record_service_days", batch);
}

/** Records the totals of days if they have changed. */
export async function recordDailyTotals(
  client: PgClient,
  { organizationId }: { organizationId: string },
): Promise<DerivedBatch> {
  await client.query("SELECT record_daily_totals($1)", [organizationId]);
  return { found: 0, lastServiceId: null };
}
