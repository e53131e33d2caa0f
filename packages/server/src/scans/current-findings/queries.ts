import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { PgClient } from "../../db/pool.ts";
import { TODAY } from "../../db/today.ts";
import { deriveBatch, type DerivationBatch, type DerivedBatch } from "../../lib/derivation.ts";
import { SCAN_LIMITS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import { hasAssignee } from "../finding-assignments/assignee.queries.ts";
import { isDecided } from "../finding-decisions/covering.queries.ts";
import { type FindingPosition, MESSAGE_START_CHARS } from "./position.ts";
import { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { countOf, currentRules, type FindingFilter } from "./current-rules.queries.ts";
import { isDue } from "./is-due.queries.ts";

const ListedFinding = CurrentFinding.omit({
  ownerTeam: true,
  id: true,
  fingerprint: true,
  decision: true,
  exceededDecision: true,
  assignee: true,
  isOverdue: true,
}).extend({
  /** True if its deadline has passed, also for a decided finding. */
  isPastDue: z.boolean(),
  seenOn: z.string(),
  messageStart: z.string(),
  messageHash: z.string(),
  occurrence: z.number(),
});
/** A finding with the values by which it is listed. */
export type ListedFinding = z.infer<typeof ListedFinding>;

/** The maximum number of findings in a row of service_rules. list_rules_of_snapshot splits rows at it. */
export const PART_FINDINGS_MAX = 32;
const PARTS_MAX = Math.ceil(SCAN_LIMITS.findingsMax / PART_FINDINGS_MAX);

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
  const { organizationId, searched, limit, after, severity, state, due, assignee } = page;
  const isJudged = state !== null || due !== null;
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
  const rules = currentRules(page, searched, sql.fragment`v.severity`, { isJudged });
  const hasAny = isJudged ? sql.fragment`sum(${countOf(page)}) > 0` : sql.fragment`true`;
  const isOfState = isJudged
    ? sql.fragment`${state === "decided"} = ${isDecided({
        organizationId,
        serviceId: sql.fragment`r.service_id`,
        severity: sql.fragment`r.severity`,
        code: sql.fragment`r.code`,
        fingerprint: sql.fragment`i.fingerprint`,
      })}`
    : sql.fragment`true`;
  const dueOn = sql.fragment`(i.first_day + v.days)`;
  const isOfDue = due === null ? sql.fragment`true` : isDue(due, dueOn);
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
    (!isJudged && assignee === null) || searched === null ? sql.fragment`${limit + 2}` : sql.fragment`NULL`;
  return db.any(sql.type(ListedFinding)`
    SELECT r.service_id AS "serviceId", r.service_name AS "serviceName", r.scan_run_id AS "scanRunId", found.index::int AS index,
           r.code, r.severity, found.message, found.own_method AS method, found.own_path AS path, r.seen_on::text AS "seenOn",
           found."dueOn"::text AS "dueOn", coalesce(found."dueOn" < ${TODAY}, false) AS "isPastDue",
           found."messageStart", found."messageHash", found.occurrence
    FROM (
      SELECT s.severity, severity_rank(s.severity) AS rank,
             (SELECT d.days FROM finding_deadlines(${organizationId}) d WHERE d.severity = s.severity) AS days
      FROM unnest(${sql.array([...SEVERITIES], "text")}) AS s (severity)
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
      HAVING ${hasAny}
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
          SELECT i.index, ${dueOn} AS "dueOn", f.message, f.method AS own_method, f.path AS own_path, left(f.message, ${MESSAGE_START_CHARS}) AS "messageStart", md5(f.message) AS "messageHash",
                 coalesce(f.path, '') AS path, coalesce(f.method, '') AS method
          FROM (
            (SELECT p.indexes, p.chunks, p.ordinals, p.fingerprints, p.first_days, p.words FROM service_rules p
             WHERE p.organization_id = ${organizationId} AND p.service_id = r.service_id AND p.snapshot_id = r.snapshot_id
               AND p.severity = r.severity AND p.code = r.code AND p.seen_on = r.seen_on AND r.is_indexed
             LIMIT ${PARTS_MAX})
            UNION ALL
            SELECT p.indexes, p.chunks, p.ordinals, p.fingerprints, p.first_days, p.words FROM list_rules_of_snapshot(${organizationId}, r.service_id, r.snapshot_id) p
            WHERE NOT r.is_indexed AND p.severity = r.severity AND p.code = r.code AND p.seen_on = r.seen_on
          ) own
          CROSS JOIN LATERAL ${places} AS at (place)
          CROSS JOIN LATERAL (
            SELECT own.indexes[at.place] AS index, s.finding_chunks[own.chunks[at.place]] AS chunk_id, own.ordinals[at.place] AS ordinal,
                   own.fingerprints[at.place] AS fingerprint, own.first_days[at.place] AS first_day) i
          CROSS JOIN LATERAL (
            SELECT o.message, o.method, o.path FROM chunk_findings o
            WHERE o.organization_id = ${organizationId} AND o.chunk_id = i.chunk_id AND o.ordinal = i.ordinal
            LIMIT 1) f
          WHERE ${isOfState} AND ${isOfDue} AND ${isAssigned}
        ) each
      ) numbered
      WHERE ${isLeft}
      ORDER BY ${ofRule}) found
    LIMIT ${limit + 1}`);
}

/** Writes the rules of services whose current findings have none yet. */
export function indexServiceRules(client: PgClient, batch: DerivationBatch): Promise<DerivedBatch> {
  return deriveBatch(client, "index_service_rules", batch);
}
