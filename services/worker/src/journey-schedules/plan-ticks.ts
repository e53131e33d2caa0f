import { type Tick, tickFinder } from "@waymark/server/journey-schedules/cron/next-times.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "@waymark/shared/journey-schedules/limits.ts";
import type { ClaimedSchedule } from "@waymark/server/journey-schedules/work.queries.ts";

/** Ticks that one transaction decides about: after a long outage there may be more. */
const TICKS_MAX = 1_000;
const LATE_MS = JOURNEY_SCHEDULE_LIMITS.lateMinutesMax * 60_000;

export interface TickPlan {
  /** Due ticks for which it is too late, because a later one is due. */
  passed: { dueAt: Date; hasWaited: boolean }[];
  /** The newest due tick; null if there are more after `passed`. */
  current: Tick | null;
  /** No scheduler looked at `current` in time. */
  isLate: boolean;
  /** The first tick that is not due. */
  next: Tick;
}

/** Which ticks of a schedule are due. At most the newest of them is started, however many an outage has left. */
export function planTicks(schedule: ClaimedSchedule): TickPlan {
  const now = schedule.claimedAt.getTime();
  const due: (Tick & { hasWaited: boolean })[] = [
    { dueAt: schedule.nextDueAt, startAt: schedule.nextAt, hasWaited: schedule.isWaiting },
  ];
  const tickAfter = tickFinder(schedule);
  let next = tickAfter(schedule.nextDueAt);
  while (next.startAt.getTime() <= now && due.length < TICKS_MAX) {
    due.push({ ...next, hasWaited: false });
    next = tickAfter(next.dueAt);
  }
  const current = next.startAt.getTime() <= now ? undefined : due.pop();
  return {
    passed: due.map(({ dueAt, hasWaited }) => ({ dueAt, hasWaited })),
    current: current ?? null,
    isLate: current !== undefined && !current.hasWaited && now - current.startAt.getTime() > LATE_MS,
    next,
  };
}
