import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const FailingRow = z.object({
  journeyId: z.string(),
  journeyPath: z.string(),
  environmentName: z.string(),
  runId: z.string(),
  status: z.enum(["failed", "error"]),
  endedAt: z.string(),
  count: z.number(),
});

/** How many of a journey's last runs are read. */
const RECENT_RUNS = 20;

/** Lists the journeys and environments where the newest ended run did not pass, the last one first; and how many there are. */
export async function listFailingJourneys(
  tx: DatabaseTransactionConnection,
  { organizationId, limit }: { organizationId: string; limit: number },
): Promise<{ journeys: readonly z.infer<typeof FailingRow>[]; count: number }> {
  const rows = await tx.any(sql.type(FailingRow)`
    SELECT d.id AS "journeyId", d.path AS "journeyPath", e.name AS "environmentName", r.id AS "runId", r.status,
           r.ended_at AS "endedAt", count(*) OVER ()::int AS count
    FROM journey_documents d
    CROSS JOIN LATERAL (
      SELECT DISTINCT ON (recent.environment_id) recent.*
      FROM (
        SELECT id, status, environment_id, created_at, ended_at
        FROM journey_runs
        WHERE organization_id = ${organizationId} AND document_id = d.id
        ORDER BY created_at DESC, id DESC
        LIMIT ${RECENT_RUNS}
      ) recent
      WHERE recent.ended_at IS NOT NULL AND recent.status <> 'aborted'
      ORDER BY recent.environment_id, recent.created_at DESC, recent.id DESC
    ) r
    JOIN environments e ON e.organization_id = ${organizationId} AND e.id = r.environment_id
    WHERE d.organization_id = ${organizationId} AND d.archived_at IS NULL AND r.status IN ('failed', 'error')
    ORDER BY r.ended_at DESC, r.id DESC
    LIMIT ${limit}`);
  return { journeys: rows, count: rows[0]?.count ?? 0 };
}
