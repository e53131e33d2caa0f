import { type DatabaseTransactionConnection, sql } from "slonik";
import {
  type JourneyStatistics,
  STATISTICS_RUNS_MAX,
} from "@waymark/shared/journey-runs/statistics/schema.ts";
import { z } from "zod";

const RunRow = z.object({
  runId: z.string(),
  status: z.enum(["passed", "failed", "error"]),
  endedAt: z.string(),
  ms: z.number().nullable(),
});

const StepRow = z.object({
  workflow: z.string().nullable(),
  stepId: z.string(),
  runCount: z.number(),
  passedCount: z.number(),
  flakyCount: z.number(),
  medianMs: z.number(),
});

/** Counts how the last ended runs of a journey went, and each of their steps. Runs of the teardown and skipped steps don't count. */
export async function readJourneyStatistics(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    journeyId,
    environmentId,
  }: { organizationId: string; journeyId: string; environmentId: string | null },
): Promise<JourneyStatistics> {
  const recent = sql.fragment`
    SELECT r.* FROM journey_runs r
    WHERE r.organization_id = ${organizationId} AND r.document_id = ${journeyId}
      AND (${environmentId}::uuid IS NULL OR r.environment_id = ${environmentId}::uuid) AND r.status IN ('passed', 'failed', 'error')
    ORDER BY r.created_at DESC, r.id DESC
    LIMIT ${STATISTICS_RUNS_MAX}`;
  const runs = await tx.any(sql.type(RunRow)`
    SELECT r.id AS "runId", r.status, r.ended_at AS "endedAt", (extract(epoch FROM r.ended_at - r.started_at) * 1000)::float8 AS ms
    FROM (${recent}) r
    ORDER BY r.created_at DESC, r.id DESC`);
  // A step that a run came to several times has passed if it did each time. What is flaky is what `findFlakyRun` finds: a run that ended with
  // `error` says nothing of its target, and a next run that did not come to the step ends the comparison.
  const steps = await tx.any(sql.type(StepRow)`
    WITH recent AS MATERIALIZED (${recent}), ordered AS (
      SELECT r.id, lead(r.id) OVER (
               PARTITION BY r.environment_id, r.environment_revision, r.program_id, r.strict_contract, r.inputs
               ORDER BY r.created_at, r.id) AS next_id
      FROM recent r
      WHERE r.status IN ('passed', 'failed')
    ), gone_through AS MATERIALIZED (
      SELECT r.id AS run_id, s.workflow, s.step_id, bool_and(s.status = 'passed') AS has_passed,
             bool_or(s.status IN ('failed', 'timedOut')) AS has_failed, sum(s.ms) AS ms, min(s.seq) AS seq
      FROM recent r
      JOIN journey_run_steps s ON s.organization_id = ${organizationId} AND s.run_id = r.id
      WHERE s.phase = 'main' AND s.status <> 'skipped'
      GROUP BY r.id, s.workflow, s.step_id
    ), compared AS (
      SELECT g.*, g.has_failed AND n.has_passed AS is_flaky
      FROM gone_through g
      LEFT JOIN ordered o ON o.id = g.run_id
      LEFT JOIN gone_through n
        ON n.run_id = o.next_id AND n.step_id = g.step_id AND coalesce(n.workflow, '') = coalesce(g.workflow, '')
    )
    SELECT c.workflow, c.step_id AS "stepId", count(*)::int AS "runCount", (count(*) FILTER (WHERE c.has_passed))::int AS "passedCount",
           (count(*) FILTER (WHERE c.is_flaky))::int AS "flakyCount",
           percentile_cont(0.5) WITHIN GROUP (ORDER BY c.ms) AS "medianMs"
    FROM compared c
    GROUP BY c.workflow, c.step_id
    ORDER BY min(c.seq), c.workflow NULLS FIRST, c.step_id`);
  return { runs: [...runs], steps: [...steps] };
}
