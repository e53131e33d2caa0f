import { isDeepStrictEqual } from "node:util";
import { type Actor, authorize, denial } from "@waymark/shared/api-keys/authorize.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findRunTarget } from "@waymark/server/journey-runs/start/find-target.ts";
import { nextTick } from "@waymark/server/journey-schedules/cron/next-times.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "@waymark/shared/journey-schedules/limits.ts";
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  insertSchedule,
  listSchedules,
  lockSchedule,
  setScheduleNext,
  type StoredSchedule,
  updateSchedule,
} from "@waymark/server/journey-schedules/queries.ts";
import type { JourneySchedule, JourneyScheduleRequest } from "@waymark/shared/journey-schedules/schema.ts";
import { lockDocuments } from "@waymark/server/journeys/changes.queries.ts";
import { v7 as uuidv7 } from "uuid";
import { authorizedSchedule, withNextTimes } from "./route-definitions.ts";

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

interface ChangeOfOne extends Change {
  scheduleId: string;
}

/** @throws AppError `permission_denied`, `not_found`, `environment_protected`, `schedule_name_taken` or `limit_reached` */
export async function createScheduleAs(
  db: DatabasePool,
  { actor, origin, settings }: Change & { settings: JourneyScheduleRequest },
): Promise<JourneySchedule> {
  const { organizationId, apiKeyId: keyId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    // Until the end of the transaction: no document is archived that the schedule is about to use.
    await lockDocuments(tx, organizationId);
    await assertRunnable(tx, actor, settings);
    await assertNameIsFree(tx, organizationId, settings.name);
    const { schedulesMax } = JOURNEY_SCHEDULE_LIMITS;
    if ((await countSchedules(tx, organizationId)) >= schedulesMax) {
      throw new AppError(
        "limit_reached",
        `An organization can have ${schedulesMax} schedules. Delete one that is no longer needed.`,
      );
    }
    const scheduleId = uuidv7();
    const next = nextTick({ id: scheduleId, ...settings }, new Date());
    await insertSchedule(tx, { organizationId, scheduleId, settings, keyId, next });
    return changed(tx, { actor, origin, scheduleId }, "journey_schedule.created");
  });
}

/** @throws AppError `permission_denied`, `not_found`, `environment_protected` or `schedule_name_taken` */
export async function replaceScheduleAs(
  db: DatabasePool,
  { actor, origin, scheduleId, settings }: ChangeOfOne & { settings: JourneyScheduleRequest },
): Promise<JourneySchedule> {
  const { organizationId, apiKeyId: keyId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    await lockDocuments(tx, organizationId);
    const found = await lockSchedule(tx, { organizationId, scheduleId });
    const before = authorizedSchedule(actor, "journeys:schedule", found);
    await assertRunnable(tx, actor, settings);
    if (before.name !== settings.name) await assertNameIsFree(tx, organizationId, settings.name);
    const next = nextTick({ id: before.id, ...settings }, lastDecided(before));
    await updateSchedule(tx, { organizationId, scheduleId, settings, keyId, next });
    const details = { changed: changedFields(before, settings) };
    return changed(tx, { actor, origin, scheduleId }, "journey_schedule.updated", details);
  });
}

/** Pauses or resumes it. Resumed, it goes on with the next tick; what was due meanwhile is not made up for. */
export async function setEnabledAs(
  db: DatabasePool,
  { actor, origin, scheduleId, enabled }: ChangeOfOne & { enabled: boolean },
): Promise<JourneySchedule> {
  const { organizationId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    const found = await lockSchedule(tx, { organizationId, scheduleId });
    const schedule = authorizedSchedule(actor, "journeys:schedule", found);
    if (schedule.enabled === enabled) return withNextTimes(schedule);
    const next = enabled ? nextTick(schedule, lastDecided(schedule)) : null;
    await setScheduleNext(tx, { organizationId, scheduleId, next });
    const action = enabled ? "journey_schedule.resumed" : "journey_schedule.paused";
    return changed(tx, { actor, origin, scheduleId }, action);
  });
}

/** Deletes it with its ticks. Its runs stay. */
export async function deleteScheduleAs(
  db: DatabasePool,
  { actor, origin, scheduleId }: ChangeOfOne,
): Promise<void> {
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const found = await findSchedule(tx, { organizationId, scheduleId });
    const schedule = authorizedSchedule(actor, "journeys:schedule", found);
    await deleteSchedule(tx, { organizationId, scheduleId });
    await record(tx, { actor, origin }, "journey_schedule.deleted", schedule);
  });
}

/** Now, or the time of its last tick: by this process's clock, the database's may be ahead. */
function lastDecided({ lastTick }: StoredSchedule): Date {
  return new Date(Math.max(Date.now(), Date.parse(lastTick?.dueAt ?? "1970-01-01T00:00:00Z")));
}

async function assertRunnable(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { journeyId, version, environmentId }: JourneyScheduleRequest,
): Promise<void> {
  await findRunTarget(tx, {
    organizationId: actor.organizationId,
    wanted: { journeyId, environmentId, ...(version === null ? {} : { version }) },
    assertAllowed: (resource) => authorize(actor, "journeys:schedule", resource),
    mayRead: (resource) => denial(actor, ["journeys:read"], resource) === undefined,
  });
}

async function assertNameIsFree(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  name: string,
): Promise<void> {
  const filter = { name, journeyId: null, environmentId: null };
  const [other] = await listSchedules(tx, { organizationId, limit: 1, afterId: null, filter });
  if (other === undefined) return;
  throw new AppError("schedule_name_taken", "There is already a schedule with this name.");
}

function changedFields(before: StoredSchedule, after: JourneyScheduleRequest): string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([name, value]) =>
    isDeepStrictEqual(earlier.get(name), value) ? [] : [name],
  );
}

type Action =
  | "journey_schedule.created"
  | "journey_schedule.updated"
  | "journey_schedule.paused"
  | "journey_schedule.resumed"
  | "journey_schedule.deleted";

/** Records the change, and gives the schedule as it is now. */
async function changed(
  tx: DatabaseTransactionConnection,
  { actor, origin, scheduleId }: ChangeOfOne,
  action: Action,
  details: { changed?: string[] } = {},
): Promise<JourneySchedule> {
  const { organizationId } = actor;
  const schedule = await findSchedule(tx, { organizationId, scheduleId });
  if (schedule === null) throw new Error(`the schedule ${scheduleId} is gone`);
  await record(tx, { actor, origin }, action, schedule, details);
  return withNextTimes(schedule);
}

async function record(
  tx: DatabaseTransactionConnection,
  { actor: { organizationId }, origin }: Change,
  action: Action,
  { id, name, journeyId, environmentId }: StoredSchedule,
  details: { changed?: string[] } = {},
): Promise<void> {
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action,
    details: { scheduleId: id, name, journeyId, environmentId, ...details },
  });
}
