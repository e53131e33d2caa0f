import { type DatabaseTransactionConnection, sql } from "slonik";
import {
  type FailingJourney,
  RECENT_DAYS,
  type RecoveredJourney,
} from "@waymark/shared/services/overview/schema.ts";
import { z } from "zod";

const EndedRow = z.object({
  journeyId: z.string(),
  journeyPath: z.string(),
  journeyTitle: z.string().nullable(),
  environmentName: z.string(),
  runId: z.string(),
  status: z.enum(["failed", "error", "passed"]),
  endedAt: z.string(),
  count: z.number(),
});

/** How many of a journey's last runs are read. */
const RECENT_RUNS = 20;

interface CountedJourneys<Journey> {
  journeys: Journey[];
  /** Also of those beyond the limit. */
  count: number;
}

/**
 * Lists the journeys and environments where the newest ended run did not pass, and those where it passed lately and the one before
 * did not, each the last one first.
 */
export async function listFailingAndRecoveredJourneys(
  tx: DatabaseTransactionConnection,
  { organizationId, limit }: { organizationId: string; limit: number },
): Promise<{ failing: CountedJourneys<FailingJourney>; recovered: CountedJourneys<RecoveredJourney> }> {
  const rows = await tx.any(sql.type(EndedRow)`
    WITH newest AS (
      SELECT d.id AS journey_id, d.path, d.title, r.*
      FROM journey_documents d
      CROSS JOIN LATERAL (
        SELECT DISTINCT ON (ended.environment_id) ended.*
        FROM (
          SELECT recent.*, lead(recent.status) OVER earlier AS status_before
          FROM (
            SELECT id, status, environment_id, created_at, ended_at
            FROM journey_runs
            WHERE organization_id = ${organizationId} AND document_id = d.id
            ORDER BY created_at DESC, id DESC
            LIMIT ${RECENT_RUNS}
          ) recent
          WHERE recent.ended_at IS NOT NULL AND recent.status <> 'aborted'
          WINDOW earlier AS (PARTITION BY recent.environment_id ORDER BY recent.created_at DESC, recent.id DESC)
        ) ended
        ORDER BY ended.environment_id, ended.created_at DESC, ended.id DESC
      ) r
      WHERE d.organization_id = ${organizationId} AND d.archived_at IS NULL
        AND (r.status IN ('failed', 'error') OR r.status_before IN ('failed', 'error') AND r.ended_at > now() - ${RECENT_DAYS} * interval '1 day')
    ), numbered AS (
      SELECT n.*, row_number() OVER kind AS n, count(*) OVER (PARTITION BY n.status = 'passed')::int AS count
      FROM newest n
      WINDOW kind AS (PARTITION BY n.status = 'passed' ORDER BY n.ended_at DESC, n.id DESC)
    )
    SELECT n.journey_id AS "journeyId", n.path AS "journeyPath", n.title AS "journeyTitle", e.name AS "environmentName",
           n.id AS "runId", n.status, n.ended_at AS "endedAt", n.count
    FROM numbered n
    JOIN environments e ON e.organization_id = ${organizationId} AND e.id = n.environment_id
    WHERE n.n <= ${limit}
    ORDER BY n.n`);
  const failing: CountedJourneys<FailingJourney> = { journeys: [], count: 0 };
  const recovered: CountedJourneys<RecoveredJourney> = { journeys: [], count: 0 };
  for (const { count, status, ...journey } of rows) {
    const list = status === "passed" ? recovered : failing;
    list.count = count;
    if (status === "passed") recovered.journeys.push(journey);
    else failing.journeys.push({ ...journey, status });
  }
  return { failing, recovered };
}
