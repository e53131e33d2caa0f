import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type {
  JourneySchedule,
  JourneyScheduleRequest,
  JourneyScheduleTick,
} from "@waymark/shared/journey-schedules/schema.ts";

const TickColumns = {
  due_at: z.string(),
  outcome: z.enum(["started", "skipped", "missed", "refused"]),
  run_id: z.string().nullable(),
  reason: z.string().nullable(),
  decided_at: z.string(),
};
const TickRow = z.object(TickColumns);

const ScheduleRow = z.object({
  id: z.string(),
  name: z.string(),
  document_id: z.string(),
  document_path: z.string(),
  version: z.number().nullable(),
  environment_id: z.string(),
  environment_name: z.string(),
  cron: z.string(),
  time_zone: z.string(),
  overlap: z.enum(["skip", "queue"]),
  catch_up: z.enum(["none", "one"]),
  jitter_seconds: z.number(),
  is_enabled: z.boolean(),
  paused_reason: z.string().nullable(),
  failures_in_row: z.number(),
  created_by_key_id: z.string(),
  updated_by_key_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  // The last tick. Its columns are null together where there is none yet.
  due_at: z.string().nullable(),
  outcome: TickColumns.outcome.nullable(),
  run_id: z.string().nullable(),
  reason: z.string().nullable(),
  decided_at: z.string().nullable(),
});

const SELECT_SCHEDULE = sql.fragment`
  SELECT s.id, s.name, s.document_id, d.path AS document_path, s.version, s.environment_id, e.name AS environment_name,
         s.cron, s.time_zone, s.overlap, s.catch_up, s.jitter_seconds, s.is_enabled, s.paused_reason, s.failures_in_row,
         s.created_by_key_id, s.updated_by_key_id, s.created_at, s.updated_at,
         t.due_at, t.outcome, t.run_id, t.reason, t.decided_at
  FROM journey_schedules s
  JOIN journey_documents d ON d.organization_id = s.organization_id AND d.id = s.document_id
  JOIN environments e ON e.organization_id = s.organization_id AND e.id = s.environment_id
  LEFT JOIN LATERAL (
    SELECT t.due_at, t.outcome, t.run_id, t.reason, t.decided_at FROM journey_schedule_ticks t
    WHERE t.organization_id = s.organization_id AND t.schedule_id = s.id ORDER BY t.due_at DESC LIMIT 1
  ) t ON true`;

/** A schedule without its next times, which the database can't compute. */
export type StoredSchedule = Omit<JourneySchedule, "nextTimes">;

interface ScheduleRef {
  organizationId: string;
  scheduleId: string;
}

interface ScheduleFilter {
  journeyId: string | null;
  environmentId: string | null;
  name: string | null;
}

/** Lists schedules, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listSchedules(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; limit: number; afterId: string | null; filter: ScheduleFilter },
): Promise<StoredSchedule[]> {
  const { organizationId, limit, afterId, filter } = options;
  const rows = await tx.any(sql.type(ScheduleRow)`
    ${SELECT_SCHEDULE}
    WHERE s.organization_id = ${organizationId}
      AND (${afterId}::uuid IS NULL OR s.id < ${afterId}::uuid)
      AND (${filter.journeyId}::uuid IS NULL OR s.document_id = ${filter.journeyId}::uuid)
      AND (${filter.environmentId}::uuid IS NULL OR s.environment_id = ${filter.environmentId}::uuid)
      AND (${filter.name}::text IS NULL OR s.name = ${filter.name})
    ORDER BY s.id DESC
    LIMIT ${limit + 1}`);
  return rows.map(toSchedule);
}

export async function findSchedule(
  tx: DatabaseTransactionConnection,
  { organizationId, scheduleId }: ScheduleRef,
): Promise<StoredSchedule | null> {
  const row = await tx.maybeOne(sql.type(ScheduleRow)`
    ${SELECT_SCHEDULE} WHERE s.organization_id = ${organizationId} AND s.id = ${scheduleId}`);
  return row === null ? null : toSchedule(row);
}

/** Like `findSchedule`; no scheduler decides about it, and nobody changes it, until the transaction ends. */
export async function lockSchedule(
  tx: DatabaseTransactionConnection,
  { organizationId, scheduleId }: ScheduleRef,
): Promise<StoredSchedule | null> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM journey_schedules WHERE organization_id = ${organizationId} AND id = ${scheduleId} FOR UPDATE`);
  return findSchedule(tx, { organizationId, scheduleId });
}

/** The ids and names of the schedules of these documents. */
export async function listSchedulesOfDocuments(
  tx: DatabaseTransactionConnection,
  { organizationId, documentIds }: { organizationId: string; documentIds: readonly string[] },
): Promise<readonly { documentId: string; environmentId: string; name: string }[]> {
  const Row = z.object({ document_id: z.string(), environment_id: z.string(), name: z.string() });
  const rows = await tx.any(sql.type(Row)`
    SELECT document_id, environment_id, name FROM journey_schedules
    WHERE organization_id = ${organizationId} AND document_id = ANY(${sql.array([...documentIds], "uuid")})
    ORDER BY name`);
  return rows.map((row) => ({
    documentId: row.document_id,
    environmentId: row.environment_id,
    name: row.name,
  }));
}

export async function countSchedules(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM journey_schedules WHERE organization_id = ${organizationId}`);
}

/** When its next tick is due and is looked at. */
interface NextTick {
  dueAt: Date;
  startAt: Date;
}

interface ScheduleChange extends ScheduleRef {
  settings: JourneyScheduleRequest;
  keyId: string;
}

export async function insertSchedule(
  tx: DatabaseTransactionConnection,
  { organizationId, scheduleId, settings, keyId, next }: ScheduleChange & { next: NextTick },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_schedules (organization_id, id, name, document_id, version, environment_id, cron, time_zone,
                                   overlap, catch_up, jitter_seconds, next_due_at, next_at, created_by_key_id,
                                   updated_by_key_id)
    VALUES (${organizationId}, ${scheduleId}, ${settings.name}, ${settings.journeyId}, ${settings.version},
            ${settings.environmentId}, ${settings.cron}, ${settings.timeZone}, ${settings.overlap},
            ${settings.catchUp}, ${settings.jitterSeconds}, ${iso(next.dueAt)}, ${iso(next.startAt)}, ${keyId}, ${keyId})`);
}

/** Replaces its settings. A paused schedule stays paused: then `next` has no effect. */
export async function updateSchedule(
  tx: DatabaseTransactionConnection,
  { organizationId, scheduleId, settings, keyId, next }: ScheduleChange & { next: NextTick },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE journey_schedules
    SET name = ${settings.name}, document_id = ${settings.journeyId}, version = ${settings.version},
        environment_id = ${settings.environmentId}, cron = ${settings.cron}, time_zone = ${settings.timeZone},
        overlap = ${settings.overlap}, catch_up = ${settings.catchUp}, jitter_seconds = ${settings.jitterSeconds},
        next_due_at = CASE WHEN is_enabled THEN ${iso(next.dueAt)}::timestamptz END,
        next_at = CASE WHEN is_enabled THEN ${iso(next.startAt)}::timestamptz END,
        is_waiting = false, claimed_until = NULL, failures_in_row = 0, updated_by_key_id = ${keyId}, updated_at = now(),
        revision = revision + 1
    WHERE organization_id = ${organizationId} AND id = ${scheduleId}`);
}

/** Resumes it with its next tick, or pauses it without one. */
export async function setScheduleNext(
  tx: DatabaseTransactionConnection,
  { organizationId, scheduleId, next }: ScheduleRef & { next: NextTick | null },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE journey_schedules
    SET is_enabled = ${next !== null}, paused_reason = NULL, failures_in_row = 0, is_waiting = false, claimed_until = NULL,
        next_due_at = ${next === null ? null : iso(next.dueAt)}::timestamptz,
        next_at = ${next === null ? null : iso(next.startAt)}::timestamptz, updated_at = now(), revision = revision + 1
    WHERE organization_id = ${organizationId} AND id = ${scheduleId}`);
}

/** Deletes it with its ticks. Its runs stay. */
export async function deleteSchedule(
  tx: DatabaseTransactionConnection,
  { organizationId, scheduleId }: ScheduleRef,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    DELETE FROM journey_schedules WHERE organization_id = ${organizationId} AND id = ${scheduleId}`);
}

/** Lists ticks, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listTicks(
  tx: DatabaseTransactionConnection,
  options: ScheduleRef & { limit: number; before: string | null },
): Promise<JourneyScheduleTick[]> {
  const rows = await tx.any(sql.type(TickRow)`
    SELECT due_at, outcome, run_id, reason, decided_at FROM journey_schedule_ticks
    WHERE organization_id = ${options.organizationId} AND schedule_id = ${options.scheduleId}
      AND (${options.before}::timestamptz IS NULL OR due_at < ${options.before}::timestamptz)
    ORDER BY due_at DESC
    LIMIT ${options.limit + 1}`);
  return rows.map(toTick);
}

function toTick(row: z.infer<typeof TickRow>): JourneyScheduleTick {
  return {
    dueAt: row.due_at,
    outcome: row.outcome,
    runId: row.run_id,
    reason: row.reason,
    decidedAt: row.decided_at,
  };
}

function toSchedule(row: z.infer<typeof ScheduleRow>): StoredSchedule {
  const { due_at: dueAt, outcome, decided_at: decidedAt } = row;
  return {
    id: row.id,
    name: row.name,
    journeyId: row.document_id,
    journeyPath: row.document_path,
    version: row.version,
    environmentId: row.environment_id,
    environmentName: row.environment_name,
    cron: row.cron,
    timeZone: row.time_zone,
    overlap: row.overlap,
    catchUp: row.catch_up,
    jitterSeconds: row.jitter_seconds,
    enabled: row.is_enabled,
    pausedReason: row.paused_reason,
    failuresInRow: row.failures_in_row,
    lastTick:
      dueAt === null || outcome === null || decidedAt === null
        ? null
        : { dueAt, outcome, runId: row.run_id, reason: row.reason, decidedAt },
    createdByKeyId: row.created_by_key_id,
    updatedByKeyId: row.updated_by_key_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function iso(date: Date): string {
  return date.toISOString();
}
