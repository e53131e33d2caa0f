import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { findingCountsOf } from "../../lib/finding-counts.ts";
import {
  type FindingAge,
  FindingSummary,
  RuleCount,
  ServiceFindingCount,
  SUMMARY_ROWS_MAX,
} from "@waymark/shared/scans/current-findings/schema.ts";
import { countOf, currentRules, type FindingFilter, ofAge } from "./current-rules.queries.ts";

const SummaryRow = z.object({
  total: z.number(),
  severities: z.record(z.string(), z.number()),
  ages: FindingSummary.shape.findingsByAge,
  states: FindingSummary.shape.findingsByState,
  dues: FindingSummary.shape.findingsByDue,
  rules: z.array(RuleCount),
  rule_count: z.number(),
  services: z.array(ServiceFindingCount),
  service_count: z.number(),
});

/** Counts of the findings of current runs. Each list ignores the filter by what it lists, so that it offers the alternatives. */
// oxlint-disable-next-line max-lines-per-function -- one statement
export async function summarizeCurrentFindings(
  db: DatabaseTransactionConnection,
  filter: FindingFilter & { serviceId: string | null },
): Promise<FindingSummary> {
  const { severity, code, age, serviceId, state, due } = filter;
  const hasSeverity = sql.fragment`(${severity}::text IS NULL OR severity = ${severity})`;
  const hasCode = sql.fragment`(${code}::text IS NULL OR code = ${code})`;
  const hasService = sql.fragment`(${serviceId}::uuid IS NULL OR service_id = ${serviceId})`;
  const isOfAge = age === null ? sql.fragment`true` : ofAge(age);
  const countOfAge = (each: FindingAge) =>
    sql.fragment`coalesce(sum(finding_count) FILTER (WHERE ${ofAge(each)}), 0)`;
  const counted = countOf({ state, due });
  const sumOf = (count: FragmentSqlToken) => sql.fragment`coalesce(sum(${count}), 0)`;
  const row = await db.one(sql.type(SummaryRow)`
    WITH judged AS MATERIALIZED (
      SELECT c.service_id, c.service_name, c.severity, c.code, c.seen_on, c.finding_count, c.decided_count, c.overdue_count, c.soon_count
      FROM ${currentRules({ ...filter, code: null, age: null }, null, sql.fragment`NULL`, { isJudged: true })} c
    ), current AS (
      SELECT service_id, service_name, severity, code, seen_on, ${counted} AS finding_count FROM judged WHERE ${counted} > 0
    ), by_severity AS (
      SELECT severity, sum(finding_count)::int AS count FROM current
      WHERE ${hasCode} AND ${hasService} AND ${isOfAge} GROUP BY severity
    ), by_rule AS (
      SELECT code, min(rank) AS rank, sum(findings)::int AS findings, count(*)::int AS services, count(*) OVER ()::int AS total
      FROM (
        SELECT code, service_id, min(severity_rank(severity)) AS rank, sum(finding_count) AS findings
        FROM current WHERE ${hasSeverity} AND ${hasService} AND ${isOfAge} GROUP BY code, service_id) each
      GROUP BY code
      ORDER BY rank, findings DESC, code COLLATE "C"
      LIMIT ${SUMMARY_ROWS_MAX}
    ), by_service AS (
      SELECT service_id, service_name, sum(finding_count)::int AS findings, count(*) OVER ()::int AS total
      FROM current WHERE ${hasSeverity} AND ${hasCode} AND ${isOfAge} GROUP BY service_id, service_name
      ORDER BY findings DESC, service_name COLLATE "C"
      LIMIT ${SUMMARY_ROWS_MAX}
    )
    SELECT
      (SELECT coalesce(sum(finding_count), 0)::int FROM current
       WHERE ${hasSeverity} AND ${hasCode} AND ${hasService} AND ${isOfAge}) AS total,
      (SELECT jsonb_build_object('today', ${countOfAge("today")}, 'week', ${countOfAge("week")}, 'month', ${countOfAge("month")},
                                 'older', ${countOfAge("older")})
       FROM current WHERE ${hasSeverity} AND ${hasCode} AND ${hasService}) AS ages,
      (SELECT jsonb_build_object('open', ${sumOf(countOf({ state: "open", due }))}, 'decided', ${sumOf(countOf({ state: "decided", due }))})
       FROM judged WHERE ${hasSeverity} AND ${hasCode} AND ${hasService} AND ${isOfAge}) AS states,
      (SELECT jsonb_build_object('overdue', ${sumOf(countOf({ state, due: "overdue" }))}, 'soon', ${sumOf(countOf({ state, due: "soon" }))})
       FROM judged WHERE ${hasSeverity} AND ${hasCode} AND ${hasService} AND ${isOfAge}) AS dues,
      (SELECT coalesce(jsonb_object_agg(severity, count), '{}') FROM by_severity) AS severities,
      (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'code', code, 'severity', (ARRAY['critical', 'high', 'medium', 'low', 'info'])[rank],
          'findingCount', findings, 'serviceCount', services)
        ORDER BY rank, findings DESC, code COLLATE "C"), '[]') FROM by_rule) AS rules,
      coalesce((SELECT max(total) FROM by_rule), 0) AS rule_count,
      (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'serviceId', service_id, 'serviceName', service_name, 'findingCount', findings)
        ORDER BY findings DESC, service_name COLLATE "C"), '[]') FROM by_service) AS services,
      coalesce((SELECT max(total) FROM by_service), 0) AS service_count`);
  return {
    findingCount: row.total,
    findingsBySeverity: findingCountsOf(row.severities),
    findingsByState: row.states,
    findingsByDue: row.dues,
    findingsByAge: row.ages,
    rules: row.rules,
    ruleCount: row.rule_count,
    services: row.services,
    serviceCount: row.service_count,
  };
}
