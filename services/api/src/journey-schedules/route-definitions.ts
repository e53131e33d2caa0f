import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { nextTimes } from "@waymark/server/journey-schedules/cron/next-times.ts";
import type { StoredSchedule } from "@waymark/server/journey-schedules/queries.ts";
import type { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";

// Definitions that the routes of this folder share.

export interface ScheduleRouteDependencies {
  db: DatabasePool;
  /** The shortest interval that the operator allows. */
  intervalMinutesMin: number;
}

const NEXT_TIMES = 5;

/**
 * The schedule, if the actor may access it.
 *
 * @param schedule null if it doesn't exist; who may access only some schedules then gets the same response
 * @throws AppError `permission_denied` or `not_found`
 */
export function authorizedSchedule(
  actor: Actor,
  permission: Permission,
  schedule: StoredSchedule | null,
): StoredSchedule {
  authorize(
    actor,
    permission,
    schedule === null ? {} : { workflowId: schedule.journeyId, environmentId: schedule.environmentId },
  );
  if (schedule === null) throw new AppError("not_found", "There is no schedule with this id.");
  return schedule;
}

export function withNextTimes(schedule: StoredSchedule): JourneySchedule {
  const times = schedule.enabled ? nextTimes(schedule, new Date(), NEXT_TIMES) : [];
  return { ...schedule, nextTimes: times.map((time) => time.toISOString()) };
}
