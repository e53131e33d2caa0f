import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import {
  type ConcernKind,
  HISTORY_DAYS,
  type Overview,
  type OverviewDay,
  RECENT_DAYS,
  type ServiceNumbers,
} from "@waymark/shared/services/overview/schema.ts";
import { isAmong } from "../db/is-among.ts";
import { TODAY } from "../db/today.ts";

interface VisibleServices {
  organizationId: string;
  /** Null for all services. */
  serviceIds: readonly string[] | null;
}

type CountedNumbers = ServiceNumbers & Pick<Overview, "judgedServiceCount" | "recentRuns">;

const NumbersRow = z.object({ judged: z.number(), compared: z.number(), not_compared: z.number() });

/**
 * Counts of how much it is known what breaks clients and what fails its gates, and returns the numbers with that: a number is null where
 * nothing is known, because 0 would say that all is well.
 *
 * @param options.counts the concerns of the same services
 */
export async function countServiceNumbers(
  db: DatabaseTransactionConnection,
  options: VisibleServices & { counts: Readonly<Record<ConcernKind, number>> },
): Promise<CountedNumbers> {
  const { organizationId, serviceIds, counts } = options;
  const row = await db.one(sql.type(NumbersRow)`
    WITH visible AS MATERIALIZED (
      SELECT s.id, s.default_branch FROM services s
      WHERE s.organization_id = ${organizationId} AND s.archived_at IS NULL AND ${isAmong(sql.fragment`s.id`, serviceIds)}
    )
    SELECT (SELECT count(*)::int FROM visible v
            CROSS JOIN LATERAL last_scan_run(${organizationId}, v.id, v.default_branch) l
            WHERE l.gates IS NOT NULL) AS judged,
           coalesce(sum(d.compared), 0)::int AS compared, coalesce(sum(d.not_compared), 0)::int AS not_compared
    FROM service_break_days d
    JOIN visible v ON v.id = d.service_id
    WHERE d.organization_id = ${organizationId} AND d.day > ${TODAY} - ${RECENT_DAYS}::int`);
  const isUncompared = counts.breaking === 0 && row.compared === 0 && row.not_compared > 0;
  return {
    breakingServiceCount: isUncompared ? null : counts.breaking,
    gateFailureCount: row.judged === 0 ? null : counts.gates,
    judgedServiceCount: row.judged,
    recentRuns: { compared: row.compared, notCompared: row.not_compared },
  };
}

const DayRow = z.object({
  day: z.string(),
  breaking_services: z.number().nullable(),
  gate_failures: z.number().nullable(),
  proven_criteria: z.number().nullable(),
  must_criteria: z.number().nullable(),
  covered_endpoints: z.number().nullable(),
  endpoints: z.number().nullable(),
});

/** Returns the recorded days before today, oldest first. A day that no worker recorded is missing. */
export async function listRecordedDays(
  db: DatabaseTransactionConnection,
  { organizationId, withCoverage }: { organizationId: string; withCoverage: boolean },
): Promise<OverviewDay[]> {
  const rows = await db.any(sql.type(DayRow)`
    SELECT day::text AS day, breaking_services, gate_failures, proven_criteria, must_criteria, covered_endpoints, endpoints
    FROM overview_days
    WHERE organization_id = ${organizationId} AND day > ${TODAY} - ${HISTORY_DAYS}::int AND day < ${TODAY}
    ORDER BY day`);
  return rows.map((row) => ({
    day: row.day,
    breakingServiceCount: row.breaking_services,
    gateFailureCount: row.gate_failures,
    mustCriteria: withCoverage ? shareOf(row.proven_criteria, row.must_criteria) : null,
    endpoints: withCoverage ? shareOf(row.covered_endpoints, row.endpoints) : null,
  }));
}

function shareOf(covered: number | null, total: number | null): OverviewDay["endpoints"] {
  return covered === null || total === null ? null : { covered, total };
}

/**
 * Takes the turn to record today's numbers: false if another worker records them at this moment, or one has within `everyMs`, or the
 * organization has no services. The turn ends with the transaction.
 */
export function takeTurnToRecord(
  db: DatabaseTransactionConnection,
  { organizationId, everyMs }: { organizationId: string; everyMs: number },
): Promise<boolean> {
  return db.oneFirst(sql.type(z.object({ is_due: z.boolean() }))`
    SELECT EXISTS (SELECT FROM services s WHERE s.organization_id = ${organizationId} AND s.archived_at IS NULL)
       AND NOT EXISTS (
         SELECT FROM overview_days d
         WHERE d.organization_id = ${organizationId} AND d.day = ${TODAY} AND d.recorded_at > now() - ${everyMs} * interval '1 ms')
       AND pg_try_advisory_xact_lock(hashtextextended('overview day ' || ${organizationId}::text, 0)) AS is_due`);
}

/** Records the numbers of today, in the place of those that a worker recorded before. */
export async function recordOverviewDay(
  db: DatabaseTransactionConnection,
  { organizationId, ...numbers }: { organizationId: string } & Omit<OverviewDay, "day">,
): Promise<void> {
  const { breakingServiceCount, gateFailureCount, mustCriteria, endpoints } = numbers;
  await db.query(sql.type(z.object({}))`
    INSERT INTO overview_days AS d
      (organization_id, day, recorded_at, breaking_services, gate_failures, proven_criteria, must_criteria, covered_endpoints, endpoints)
    VALUES (${organizationId}, ${TODAY}, now(), ${breakingServiceCount}, ${gateFailureCount}, ${mustCriteria?.covered ?? null},
            ${mustCriteria?.total ?? null}, ${endpoints?.covered ?? null}, ${endpoints?.total ?? null})
    ON CONFLICT (organization_id, day) DO UPDATE
      SET recorded_at = excluded.recorded_at, breaking_services = excluded.breaking_services, gate_failures = excluded.gate_failures,
          proven_criteria = excluded.proven_criteria, must_criteria = excluded.must_criteria,
          covered_endpoints = excluded.covered_endpoints, endpoints = excluded.endpoints`);
}
