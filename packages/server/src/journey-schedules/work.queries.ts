import type { Pool, PoolClient } from "pg";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { JOURNEY_SCHEDULE_LIMITS } from "@waymark/shared/journey-schedules/limits.ts";
import type { JourneyScheduleTick } from "@waymark/shared/journey-schedules/schema.ts";

/** A due schedule that the caller works on. */
export interface ClaimedSchedule {
  organizationId: string;
  id: string;
  documentId: string;
  version: number | null;
  environmentId: string;
  cron: string;
  timeZone: string;
  overlap: "skip" | "queue";
  catchUp: "none" | "one";
  jitterSeconds: number;
  /** The first tick that nothing was decided about. */
  nextDueAt: Date;
  /** When that was to be looked at. */
  nextAt: Date;
  isWaiting: boolean;
  revision: number;
  /** The key that its runs name. */
  keyId: string;
  /** The time of the claim, by the database's clock. */
  claimedAt: Date;
}

interface ScheduleRow {
  organization_id: string;
  id: string;
  document_id: string;
  version: number | null;
  environment_id: string;
  cron: string;
  time_zone: string;
  overlap: ClaimedSchedule["overlap"];
  catch_up: ClaimedSchedule["catchUp"];
  jitter_seconds: number;
  next_due_at: Date;
  next_at: Date;
  is_waiting: boolean;
  revision: number;
  updated_by_key_id: string;
  claimed_at: Date;
}

/**
 * Claims the schedule that has been due for longest.
 *
 * @param options.now the time, for tests; by default the database's
 */
export async function claimSchedule(
  pool: Pool,
  options: { busyOrganizationIds: readonly string[]; leaseMs: number; now: Date | undefined },
): Promise<ClaimedSchedule | undefined> {
  const { rows } = await pool.query<ScheduleRow>({
    name: "claim_journey_schedule",
    text: `SELECT organization_id, id, document_id, version, environment_id, cron, time_zone, overlap, catch_up,
                  jitter_seconds, next_due_at, next_at, is_waiting, revision, updated_by_key_id,
                  claimed_until - $2 * interval '1 millisecond' AS claimed_at
           FROM claim_journey_schedule($1::uuid[], $2 * interval '1 millisecond', $3::timestamptz)`,
    values: [options.busyOrganizationIds, options.leaseMs, options.now ?? null],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    organizationId: row.organization_id,
    id: row.id,
    documentId: row.document_id,
    version: row.version,
    environmentId: row.environment_id,
    cron: row.cron,
    timeZone: row.time_zone,
    overlap: row.overlap,
    catchUp: row.catch_up,
    jitterSeconds: row.jitter_seconds,
    nextDueAt: row.next_due_at,
    nextAt: row.next_at,
    isWaiting: row.is_waiting,
    revision: row.revision,
    keyId: row.updated_by_key_id,
    claimedAt: row.claimed_at,
  };
}

/** The run of the schedule that has not ended. */
export async function findUnfinishedRun(
  tx: DatabaseTransactionConnection,
  { organizationId, id }: Pick<ClaimedSchedule, "organizationId" | "id">,
): Promise<string | null> {
  return tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM journey_runs
    WHERE organization_id = ${organizationId} AND schedule_id = ${id} AND status IN ('queued', 'running')
    LIMIT 1`);
}

/** Locks a claimed schedule. False if its tick was decided, or it was changed, since it was claimed. */
export async function holdSchedule(
  tx: DatabaseTransactionConnection,
  { organizationId, id, nextDueAt, revision }: ClaimedSchedule,
): Promise<boolean> {
  return tx.oneFirst(sql.type(z.object({ held: z.boolean() }))`
    SELECT hold_journey_schedule(${organizationId}, ${id}, ${nextDueAt.toISOString()}, ${revision}) AS held`);
}

export interface DecidedTick {
  dueAt: Date;
  outcome: JourneyScheduleTick["outcome"];
  runId: string | null;
  reason: string | null;
}

/** Records ticks of a schedule that the caller holds, and when it is looked at next. */
export async function decideTicks(
  tx: DatabaseTransactionConnection,
  { organizationId, id, claimedAt }: ClaimedSchedule,
  decision: { ticks: readonly DecidedTick[]; nextDueAt: Date; nextAt: Date; isWaiting: boolean },
): Promise<void> {
  const { ticks } = decision;
  const column = (values: (string | null)[], type: string) => sql.array(values, type);
  await tx.query(sql.type(z.object({}))`
    SELECT FROM (SELECT decide_journey_ticks(${organizationId}, ${id},
      ARRAY(SELECT ROW(${organizationId}::uuid, ${id}::uuid, t.due_at, t.outcome, t.run_id, t.reason,
                       ${claimedAt.toISOString()}::timestamptz)::journey_schedule_ticks
            FROM unnest(${column(
              ticks.map(({ dueAt }) => dueAt.toISOString()),
              "timestamptz",
            )}, ${column(
              ticks.map(({ outcome }) => outcome),
              "text",
            )}, ${column(
              ticks.map(({ runId }) => runId),
              "uuid",
            )}, ${column(
              ticks.map(({ reason }) => reason),
              "text",
            )}) AS t (due_at, outcome, run_id, reason)),
      ${decision.nextDueAt.toISOString()}, ${decision.nextAt.toISOString()}, ${decision.isWaiting})) AS decided`);
}

/** Counts a tick whose run could not be started. The 20th failure in a row pauses the schedule. */
export async function countRefusal(
  tx: DatabaseTransactionConnection,
  { organizationId, id }: ClaimedSchedule,
  reason: string,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM (SELECT count_journey_schedule_outcome(${organizationId}, ${id}, true, ${reason})) AS counted`);
}

/** Returns how far schedules are behind, and how many Waymark has paused, of all organizations. */
export async function sampleSchedules(pool: Pool): Promise<{ overdueSeconds: number; paused: number }> {
  const { rows } = await pool.query<{ overdue_seconds: number; paused: number }>(
    "SELECT overdue_seconds, paused FROM sample_journey_schedules()",
  );
  const { overdue_seconds: overdueSeconds = 0, paused = 0 } = rows[0] ?? {};
  return { overdueSeconds, paused };
}

/** Deletes ticks whose retention has ended. @returns how many; `batchMax` means that there may be more */
export async function deleteOldTicks(
  client: PoolClient,
  { organizationId, batchMax }: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rowCount } = await client.query(
    `WITH old AS (
       SELECT schedule_id, due_at FROM journey_schedule_ticks
       WHERE organization_id = $1 AND due_at < now() - $2 * interval '1 day'
       ORDER BY due_at LIMIT $3
     )
     DELETE FROM journey_schedule_ticks t USING old
     WHERE t.organization_id = $1 AND t.schedule_id = old.schedule_id AND t.due_at = old.due_at`,
    [organizationId, JOURNEY_SCHEDULE_LIMITS.ticksKeptDays, batchMax],
  );
  return rowCount ?? 0;
}
