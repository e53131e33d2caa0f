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
  // A step that a run came to several times has passed if it did each time.
  const steps = await tx.any(sql.type(StepRow)`
    WITH recent AS MATERIALIZED (${recent}), gone_through AS (
      SELECT r.id AS run_id, s.workflow, s.step_id, bool_and(s.status = 'passed') AS has_passed, sum(s.ms) AS ms, min(s.seq) AS seq
      FROM recent r
      JOIN journey_run_steps s ON s.organization_id = ${organizationId} AND s.run_id = r.id
      WHERE s.phase = 'main' AND s.status <> 'skipped'
      GROUP BY r.id, s.workflow, s.step_id
    ), compared AS (
      SELECT g.*, lead(g.has_passed) OVER (
               PARTITION BY g.workflow, g.step_id, r.environment_id, r.environment_revision, r.program_id, r.strict_contract, r.inputs
               ORDER BY r.created_at, r.id) AS passes_next
      FROM gone_through g
      JOIN recent r ON r.id = g.run_id
    )
    SELECT c.workflow, c.step_id AS "stepId", count(*)::int AS "runCount", (count(*) FILTER (WHERE c.has_passed))::int AS "passedCount",
           (count(*) FILTER (WHERE NOT c.has_passed AND c.passes_next))::int AS "flakyCount",
           percentile_cont(0.5) WITHIN GROUP (ORDER BY c.ms) AS "medianMs"
    FROM compared c
    GROUP BY c.workflow, c.step_id
    ORDER BY min(c.seq), c.workflow NULLS FIRST, c.step_id`);
  return { runs: [...runs], steps: [...steps] };
}
