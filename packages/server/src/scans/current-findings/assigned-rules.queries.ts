import { type FragmentSqlToken, sql } from "slonik";
import { isAmong } from "../../db/is-among.ts";
import { isAssignedTo, type WantedAssignee } from "../finding-assignments/assignee.queries.ts";
import type { FindingDue } from "@waymark/shared/scans/current-findings/schema.ts";
import { isDecided } from "../finding-decisions/covering.queries.ts";
import { isDue } from "./is-due.queries.ts";

/**
 * Returns the rows of `list_judged_rules` with the findings only that are assigned as it is wanted, and without rows that have none. Assignments
 * are few and findings many, so only the rules of services with assignments are counted finding by finding; what is assigned to nobody is the
 * rest.
 *
 * @param rules.currentOf returns `list_current_rules` for an array of services
 * @param rules.judged `list_judged_rules` for all services of the list
 */
export function rulesWithAssignee(
  rules: { currentOf: (services: FragmentSqlToken) => FragmentSqlToken; judged: FragmentSqlToken },
  filter: { organizationId: string; serviceIds: readonly string[] | null; assignee: WantedAssignee },
): FragmentSqlToken {
  const { organizationId, serviceIds, assignee } = filter;
  const isRest = assignee.assignee === "none";
  const isMeant = isRest ? sql.fragment`true` : isAssignedTo(assignee);
  const services = sql.fragment`ARRAY(
    SELECT DISTINCT a.service_id FROM finding_assignments a
    WHERE a.organization_id = ${organizationId} AND ${isAmong(sql.fragment`a.service_id`, serviceIds)} AND ${isMeant})`;
  const decided = isDecided({
    organizationId,
    serviceId: sql.fragment`r.service_id`,
    severity: sql.fragment`r.severity`,
    code: sql.fragment`r.code`,
    fingerprint: sql.fragment`f.fingerprint`,
  });
  const countOfDue = (due: FindingDue) =>
    sql.fragment`(count(*) FILTER (WHERE ${isDue(due, sql.fragment`(f.first_day + l.days)`)} AND NOT ${decided}))::int`;
  const rowOf = sql.fragment`
    r.service_id, r.service_name, r.scan_run_id, r.snapshot_id, r.severity, r.code, r.seen_on, r.part, r.is_indexed`;
  const assigned = sql.fragment`(
    SELECT ${rowOf}, count(*)::int AS finding_count, (count(*) FILTER (WHERE ${decided}))::int AS decided_count,
           ${countOfDue("overdue")} AS overdue_count, ${countOfDue("soon")} AS soon_count
    FROM ${rules.currentOf(services)} r
    CROSS JOIN LATERAL unnest(r.fingerprints, r.first_days) AS f (fingerprint, first_day)
    LEFT JOIN finding_deadlines(${organizationId}) l ON l.severity = r.severity
    JOIN finding_assignments a
      ON a.organization_id = ${organizationId} AND a.service_id = r.service_id AND a.fingerprint = f.fingerprint
    WHERE ${isMeant}
    GROUP BY ${rowOf})`;
  if (!isRest) return assigned;
  return sql.fragment`(
    SELECT ${rowOf}, r.finding_count - coalesce(x.finding_count, 0) AS finding_count,
           r.decided_count - coalesce(x.decided_count, 0) AS decided_count,
           r.overdue_count - coalesce(x.overdue_count, 0) AS overdue_count,
           r.soon_count - coalesce(x.soon_count, 0) AS soon_count
    FROM ${rules.judged} r
    LEFT JOIN ${assigned} x
      ON x.service_id = r.service_id AND x.severity = r.severity AND x.code = r.code AND x.seen_on = r.seen_on AND x.part = r.part
    WHERE r.finding_count > coalesce(x.finding_count, 0))`;
}
