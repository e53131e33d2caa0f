import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { findingCountsOf } from "../lib/finding-counts.ts";
import { type Overview, OverdueService } from "@waymark/shared/services/overview/schema.ts";
import type { ListedServices } from "./overview.queries.ts";

const OverdueRow = OverdueService.omit({ ownerTeam: true });

const JudgedRow = z.object({
  decided: z.record(z.string(), z.number()),
  overdue: z.array(OverdueRow),
  overdue_findings: z.number(),
  overdue_services: z.number(),
});

type JudgedFindings = Pick<Overview, "decidedBySeverity" | "overdueFindingCount" | "overdueServiceCount"> & {
  overdueServices: readonly z.infer<typeof OverdueRow>[];
};

/** Counts the findings of all current runs that decisions cover today, and those that are overdue; lists the services with the most of these. */
export async function judgeCurrentFindings(
  db: DatabaseTransactionConnection,
  { organizationId, serviceIds, rows }: ListedServices,
): Promise<JudgedFindings> {
  const services = serviceIds === null ? sql.fragment`NULL` : sql.array(serviceIds, "uuid");
  const row = await db.one(sql.type(JudgedRow)`
    WITH judged AS MATERIALIZED (
      SELECT r.service_id, r.service_name, r.severity, sum(r.decided_count)::int AS decided, sum(r.overdue_count)::int AS overdue,
             min(r.oldest_due_on) AS oldest_due_on,
             string_agg(concat_ws(' ', r.code, r.seen_on, r.overdue_count, r.oldest_due_on), ' ' ORDER BY r.code COLLATE "C", r.seen_on, r.part)
               FILTER (WHERE r.overdue_count > 0) AS overdue_rules
      FROM list_judged_rules(${organizationId}, ${services}, NULL, NULL, NULL, NULL, NULL, 0) r
      WHERE EXISTS (
        SELECT FROM finding_decisions d WHERE d.organization_id = ${organizationId}
        UNION ALL
        SELECT FROM finding_deadlines(${organizationId}))
      GROUP BY r.service_id, r.service_name, r.severity
    ), overdue AS (
      SELECT j.service_id, j.service_name, sum(j.overdue)::int AS findings, min(j.oldest_due_on) AS oldest_due_on,
             md5(string_agg(concat_ws(' ', j.severity, j.overdue_rules), ' ' ORDER BY j.severity COLLATE "C")) AS state,
             count(*) OVER ()::int AS total
      FROM judged j
      WHERE j.overdue > 0
      GROUP BY j.service_id, j.service_name
      ORDER BY findings DESC, j.service_name COLLATE "C"
      LIMIT ${rows}
    )
    SELECT (SELECT coalesce(jsonb_object_agg(s.severity, s.decided), '{}')
            FROM (SELECT j.severity, sum(j.decided)::int AS decided FROM judged j GROUP BY j.severity) s) AS decided,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
                'serviceId', o.service_id, 'serviceName', o.service_name, 'overdueFindingCount', o.findings,
                'oldestDueOn', o.oldest_due_on, 'state', o.state)
              ORDER BY o.findings DESC, o.service_name COLLATE "C"), '[]') FROM overdue o) AS overdue,
           (SELECT coalesce(sum(j.overdue), 0)::int FROM judged j) AS overdue_findings,
           coalesce((SELECT max(o.total) FROM overdue o), 0) AS overdue_services`);
  return {
    decidedBySeverity: findingCountsOf(row.decided),
    overdueFindingCount: row.overdue_findings,
    overdueServices: row.overdue,
    overdueServiceCount: row.overdue_services,
  };
}
