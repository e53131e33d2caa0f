import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const TroubledRow = z.object({
  scheduleId: z.string(),
  name: z.string(),
  journeyId: z.string(),
  environmentName: z.string(),
  state: z.enum(["failing", "paused", "pausedByServer"]),
  pausedReason: z.string().nullable(),
  failuresInRow: z.number(),
  updatedAt: z.string(),
  lastTickAt: z.string().nullable(),
  count: z.number(),
});

/** Lists schedules that fail or are paused: those that fail first, then the last one that changed; and how many there are. */
export async function listTroubledSchedules(
  tx: DatabaseTransactionConnection,
  { organizationId, limit }: { organizationId: string; limit: number },
): Promise<{ schedules: readonly z.infer<typeof TroubledRow>[]; count: number }> {
  const rows = await tx.any(sql.type(TroubledRow)`
    SELECT s.id AS "scheduleId", s.name, s.document_id AS "journeyId", e.name AS "environmentName",
           CASE WHEN s.paused_reason IS NOT NULL THEN 'pausedByServer' WHEN s.is_enabled THEN 'failing' ELSE 'paused' END AS state,
           s.paused_reason AS "pausedReason", s.failures_in_row AS "failuresInRow", s.updated_at AS "updatedAt",
           (SELECT max(t.due_at) FROM journey_schedule_ticks t
            WHERE t.organization_id = s.organization_id AND t.schedule_id = s.id) AS "lastTickAt",
           count(*) OVER ()::int AS count
    FROM journey_schedules s
    JOIN environments e ON e.organization_id = s.organization_id AND e.id = s.environment_id
    WHERE s.organization_id = ${organizationId} AND (NOT s.is_enabled OR s.failures_in_row > 0)
    ORDER BY s.failures_in_row > 0 DESC, s.updated_at DESC, s.id
    LIMIT ${limit}`);
  return { schedules: rows, count: rows[0]?.count ?? 0 };
}
