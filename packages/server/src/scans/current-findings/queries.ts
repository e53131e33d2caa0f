import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { PgClient } from "../../db/pool.ts";
import { TODAY } from "../../db/today.ts";
import { findingCountsOf } from "../../lib/finding-counts.ts";
import { deriveBatch, type DerivationBatch, type DerivedBatch } from "../../lib/derivation.ts";
import { SCAN_LIMITS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { FindingState } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { hasAssignee, type WantedAssignee } from "../finding-assignments/assignee.queries.ts";
import { isDecided } from "../finding-decisions/covering.queries.ts";
import { rulesWithAssignee } from "./assigned-rules.queries.ts";
import { type FindingPosition, MESSAGE_START_CHARS } from "./position.ts";
import {
  CurrentFinding,
  type FindingAge,
  FindingSummary,
  RuleCount,
  ServiceFindingCount,
  SUMMARY_ROWS_MAX,
} from "@waymark/shared/scans/current-findings/schema.ts";

export interface FindingFilter {
  organizationId: string;
  /** Null for all services. */
  serviceIds: readonly string[] | null;
  severity: Severity | null;
  code: string | null;
  age: FindingAge | null;
  state: FindingState | null;
  assignee: WantedAssignee | null;
}

const ListedFinding = CurrentFinding.omit({
  ownerTeam: true,
  id: true,
  fingerprint: true,
  decision: true,
  exceededDecision: true,
  assignee: true,
}).extend({
  seenOn: z.string(),
  messageStart: z.string(),
  messageHash: z.string(),
  occurrence: z.number(),
});
/** A finding with the values by which it is listed. */
export type ListedFinding = z.infer<typeof ListedFinding>;

/** The first day of each age, and the day after its last one. */
const AGES: Record<FindingAge, { from: FragmentSqlToken; before: FragmentSqlToken }> = {
  today: { from: TODAY, before: sql.fragment`NULL` },
  week: { from: sql.fragment`${TODAY} - 6`, before: sql.fragment`NULL` },
  month: { from: sql.fragment`${TODAY} - 29`, before: sql.fragment`NULL` },
  older: { from: sql.fragment`NULL`, before: sql.fragment`${TODAY} - 29` },
};

/** The maximum number of findings in a row of service_rules. list_rules_of_snapshot splits rows at it. */
export const PART_FINDINGS_MAX = 32;
const PARTS_MAX = Math.ceil(SCAN_LIMITS.findingsMax / PART_FINDINGS_MAX);

/** Returns a condition on seen_on that selects findings of an age. */
function ofAge(age: FindingAge): FragmentSqlToken {
  const { from, before } = AGES[age];
  return sql.fragment`(seen_on >= coalesce(${from}, '-infinity'::date) AND seen_on < coalesce(${before}, 'infinity'::date))`;
}

/** @param options.isJudged true for the rows with `decided_count`, which take longer */
function currentRules(
  filter: Omit<FindingFilter, "severity" | "state">,
  searched: string | null,
  severity: FragmentSqlToken,
  { isJudged }: { isJudged: boolean },
): FragmentSqlToken {
  const { organizationId, serviceIds, code, age, assignee } = filter;
  const services = serviceIds === null ? sql.fragment`NULL` : sql.array(serviceIds, "uuid");
  const { from, before } =
    age === null ? { from: sql.fragment`NULL`, before: sql.fragment`NULL` } : AGES[age];
  const words = searched === null ? sql.fragment`NULL` : sql.fragment`finding_query(${searched})`;
  const currentOf = (among: FragmentSqlToken | ReturnType<typeof sql.array>) =>
    sql.fragment`list_current_rules(${organizationId}, ${among}, ${severity}, ${code}, ${from}, ${before}, ${words})`;
  const judged = sql.fragment`list_judged_rules(${organizationId}, ${services}, ${severity}, ${code}, ${from}, ${before}, ${words})`;
  if (assignee !== null)
    return rulesWithAssignee({ currentOf, judged }, { organizationId, serviceIds, assignee });
  return isJudged ? judged : currentOf(services);
}

/**
 * Lists the findings of current runs, the worst first, then by rule, service, day when they were first seen, path, method and message; up to
 * `limit + 1`. It goes through the severities, and the rules of each in this order, and reads findings by their keys, until it has
 * enough.
 *
 * @param page.searched a text, each word of which begins some word of a finding's message, method or path; null for every finding
 */
// oxlint-disable-next-line max-lines-per-function -- one statement
export async function listCurrentFindings(
  db: DatabaseTransactionConnection,
  page: FindingFilter & { searched: string | null; limit: number; after: FindingPosition | null },
): Promise<readonly ListedFinding[]> {
  const { organizationId, searched, limit, after, severity, state, assignee } = page;
  const order = sql.fragment`c.code COLLATE "C", c.service_name COLLATE "C", c.seen_on`;
  const from =
    after === null
      ? sql.fragment`true`
      : sql.fragment`(v.rank, ${order}) >= (severity_rank(${after.severity}), ${after.code}, ${after.serviceName}, ${after.seenOn}::date)`;
  const ofRule = sql.fragment`path COLLATE "C", method COLLATE "C", "messageStart" COLLATE "C", "messageHash" COLLATE "C", occurrence`;
  const isLeft =
    after === null
      ? sql.fragment`true`
      : sql.fragment`((${ofRule}) > (${after.path}, ${after.method}, ${after.messageStart}, ${after.messageHash}, ${after.occurrence})
          OR (r.severity, r.code, r.service_name, r.seen_on)
            IS DISTINCT FROM (${after.severity}, ${after.code}, ${after.serviceName}, ${after.seenOn}::date))`;
  const all = sql.fragment`generate_subscripts(own.indexes, 1)`;
  const places =
    searched === null
      ? all
      : sql.fragment`(SELECT ${all} WHERE finding_query(${searched}) IS NULL UNION ALL SELECT finding_places(own.words, ${searched}))`;
  const rules = currentRules(page, searched, sql.fragment`v.severity`, { isJudged: state !== null });
  const hasState =
    state === null
      ? sql.fragment`true`
      : state === "decided"
        ? sql.fragment`sum(c.decided_count) > 0`
        : sql.fragment`sum(c.finding_count) > sum(c.decided_count)`;
  const isOfState =
    state === null
      ? sql.fragment`true`
      : sql.fragment`${state === "decided"} = ${isDecided({
          organizationId,
          serviceId: sql.fragment`r.service_id`,
          severity: sql.fragment`r.severity`,
          code: sql.fragment`r.code`,
          fingerprint: sql.fragment`i.fingerprint`,
        })}`;
  const isAssigned =
    assignee === null
      ? sql.fragment`true`
      : hasAssignee(
          {
            organizationId,
            serviceId: sql.fragment`r.service_id`,
            fingerprint: sql.fragment`i.fingerprint`,
          },
          assignee,
        );
  // Each rule has a finding, but the first, whose findings may all be on earlier pages. With words and another condition, no finding may meet both.
  const rulesMax =
    (state === null && assignee === null) || searched === null
      ? sql.fragment`${limit + 2}`
      : sql.fragment`NULL`;
  return db.any(sql.type(ListedFinding)`
    SELECT r.service_id AS "serviceId", r.service_name AS "serviceName", r.scan_run_id AS "scanRunId", found.index::int AS index,
           r.code, r.severity, found.message, found.own_method AS method, found.own_path AS path, r.seen_on::text AS "seenOn",
           found."messageStart", found."messageHash", found.occurrence
    FROM (
      SELECT s.severity, severity_rank(s.severity) AS rank FROM unnest(${sql.array([...SEVERITIES], "text")}) AS s (severity)
      WHERE ${severity}::text IS NULL OR s.severity = ${severity}
      ORDER BY rank
      -- With OFFSET 0, the rest is done severity by severity and rule by rule, until there are enough rows.
      OFFSET 0) v
    CROSS JOIN LATERAL (
      SELECT c.service_id, c.service_name, c.scan_run_id, c.snapshot_id, c.severity, c.code, c.seen_on, c.is_indexed
      FROM ${rules} c
      WHERE ${from}
      -- Its parts are read together: their findings are sorted by path.
      GROUP BY c.service_id, c.service_name, c.scan_run_id, c.snapshot_id, c.severity, c.code, c.seen_on, c.is_indexed
      HAVING ${hasState}
      ORDER BY ${order}
      LIMIT ${rulesMax}) r
    CROSS JOIN LATERAL (
      SELECT n.finding_chunks FROM snapshots n
      WHERE n.organization_id = ${organizationId} AND n.id = r.snapshot_id
      -- With LIMIT, each is looked up by its key, however many the planner expects.
      LIMIT 1) s
    CROSS JOIN LATERAL (
      SELECT numbered.* FROM (
        SELECT each.*, row_number() OVER (PARTITION BY path COLLATE "C", method COLLATE "C", "messageHash" ORDER BY index)::int AS occurrence
        FROM (
          SELECT i.index, f.message, f.method AS own_method, f.path AS own_path, left(f.message, ${MESSAGE_START_CHARS}) AS "messageStart", md5(f.message) AS "messageHash",
                 coalesce(f.path, '') AS path, coalesce(f.method, '') AS method
          FROM (
            (SELECT p.indexes, p.chunks, p.ordinals, p.fingerprints, p.words FROM service_rules p
             WHERE p.organization_id = ${organizationId} AND p.service_id = r.service_id AND p.snapshot_id = r.snapshot_id
               AND p.severity = r.severity AND p.code = r.code AND p.seen_on = r.seen_on AND r.is_indexed
             LIMIT ${PARTS_MAX})
            UNION ALL
            SELECT p.indexes, p.chunks, p.ordinals, p.fingerprints, p.words FROM list_rules_of_snapshot(${organizationId}, r.service_id, r.snapshot_id) p
            WHERE NOT r.is_indexed AND p.severity = r.severity AND p.code = r.code AND p.seen_on = r.seen_on
          ) own
          CROSS JOIN LATERAL ${places} AS at (place)
          CROSS JOIN LATERAL (
            SELECT own.indexes[at.place] AS index, s.finding_chunks[own.chunks[at.place]] AS chunk_id, own.ordinals[at.place] AS ordinal,
                   own.fingerprints[at.place] AS fingerprint) i
          CROSS JOIN LATERAL (
            SELECT o.message, o.method, o.path FROM chunk_findings o
            WHERE o.organization_id = ${organizationId} AND o.chunk_id = i.chunk_id AND o.ordinal = i.ordinal
            LIMIT 1) f
          WHERE ${isOfState} AND ${isAssigned}
        ) each
      ) numbered
      WHERE ${isLeft}
      ORDER BY ${ofRule}) found
    LIMIT ${limit + 1}`);
}

const SummaryRow = z.object({
  total: z.number(),
  severities: z.record(z.string(), z.number()),
  ages: FindingSummary.shape.findingsByAge,
  states: FindingSummary.shape.findingsByState,
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
  const { severity, code, age, serviceId, state } = filter;
  const hasSeverity = sql.fragment`(${severity}::text IS NULL OR severity = ${severity})`;
  const hasCode = sql.fragment`(${code}::text IS NULL OR code = ${code})`;
  const hasService = sql.fragment`(${serviceId}::uuid IS NULL OR service_id = ${serviceId})`;
  const isOfAge = age === null ? sql.fragment`true` : ofAge(age);
  const countOfAge = (each: FindingAge) =>
    sql.fragment`coalesce(sum(finding_count) FILTER (WHERE ${ofAge(each)}), 0)`;
  const ofState = {
    all: sql.fragment`finding_count`,
    decided: sql.fragment`decided_count`,
    open: sql.fragment`finding_count - decided_count`,
  }[state ?? "all"];
  const row = await db.one(sql.type(SummaryRow)`
    WITH judged AS MATERIALIZED (
      SELECT c.service_id, c.service_name, c.severity, c.code, c.seen_on, c.finding_count, c.decided_count
      FROM ${currentRules({ ...filter, code: null, age: null }, null, sql.fragment`NULL`, { isJudged: true })} c
    ), current AS (
      SELECT service_id, service_name, severity, code, seen_on, ${ofState} AS finding_count FROM judged WHERE ${ofState} > 0
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
      (SELECT jsonb_build_object('open', coalesce(sum(finding_count - decided_count), 0), 'decided', coalesce(sum(decided_count), 0))
       FROM judged WHERE ${hasSeverity} AND ${hasCode} AND ${hasService} AND ${isOfAge}) AS states,
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
    findingsByAge: row.ages,
    rules: row.rules,
    ruleCount: row.rule_count,
    services: row.services,
    serviceCount: row.service_count,
  };
}

/** Writes the rules of services whose current findings have none yet. */
export function indexServiceRules(client: PgClient, batch: DerivationBatch): Promise<DerivedBatch> {
  return deriveBatch(client, "index_service_rules", batch);
}
