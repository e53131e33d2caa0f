import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection, PgPool } from "@waymark/server/db/pool.ts";
import { AppError, ERROR_KINDS } from "@waymark/shared/errors/app-error.ts";
import { type PreparedRun, storeRun } from "@waymark/server/journey-runs/start/prepare-run.ts";
import type { JourneyScheduleTick } from "@waymark/shared/journey-schedules/schema.ts";
import {
  claimSchedule,
  type ClaimedSchedule,
  countRefusal,
  type DecidedTick,
  decideTicks,
  findUnfinishedRun,
  holdSchedule,
} from "@waymark/server/journey-schedules/work.queries.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { planTicks, type TickPlan } from "./plan-ticks.ts";

/** Schedules that are worked on at a time, of as many organizations. */
const ACTIVE_MAX = 8;
/** Longer than a build may take. A scheduler that outlives its lease decides nothing. */
const LEASE_MS = 60_000;

const MISSED = "No worker looked at it in time.";
const OVERTAKEN = "The run before had not ended when the next tick was due.";
const OVERLAP = "The run before had not ended";

/** Learns what was decided about ticks. */
export interface TickObserver {
  decided: (outcome: JourneyScheduleTick["outcome"]) => void;
  /** Called with the delay of a tick after its time, jitter included. */
  started: (lateSeconds: number) => void;
}

export interface SchedulerContext {
  pool: PgPool;
  db: DatabasePool;
  /** Builds what the schedule runs now. @throws AppError if it can't be run */
  prepare: (schedule: ClaimedSchedule) => Promise<PreparedRun>;
  /** Called after a run was stored. */
  onStarted: () => void;
  observer: TickObserver;
  onError: (error: Error) => void;
  /** The time, for tests; by default the database's. */
  now?: () => Date;
}

export interface Scheduler {
  /** Claims what is due. Resolves when that is done, not when it is decided. */
  wake: () => Promise<void>;
  /** Resolves when nothing is worked on. */
  settled: () => Promise<void>;
  /** Claims no more, and waits for what is worked on. */
  close: () => Promise<void>;
}

/** The decision about the newest due tick. */
type Start = { run: PreparedRun } | { tick: Omit<DecidedTick, "dueAt"> } | { waits: true } | undefined;

/** Starts the runs of schedules. Any number of workers may have one: each tick is decided about once. */
export function createScheduler(context: SchedulerContext): Scheduler {
  const { pool, now, onError } = context;
  const active = new Map<string, Promise<void>>();
  let claiming: Promise<void> | undefined;
  const state = { isWanted: false, isClosed: false };

  async function claimAll(): Promise<void> {
    do {
      state.isWanted = false;
      let claimed = true;
      while (claimed && !state.isClosed && active.size < ACTIVE_MAX) claimed = await claimOne();
    } while (state.isWanted && !state.isClosed);
  }

  async function claimOne(): Promise<boolean> {
    const busyOrganizationIds = [...active.keys()];
    const claimed = await claimSchedule(pool, { busyOrganizationIds, leaseMs: LEASE_MS, now: now?.() });
    if (claimed === undefined) return false;
    const decided = decide(context, claimed)
      // Its lease ends, and it is tried again.
      .catch((error: unknown) => onError(toError(error)))
      .then(() => {
        active.delete(claimed.organizationId);
        // The organization may have another one that is due.
        return wake().catch((error: unknown) => onError(toError(error)));
      });
    active.set(claimed.organizationId, decided);
    return true;
  }

  function wake(): Promise<void> {
    state.isWanted = true;
    claiming ??= claimAll().finally(() => (claiming = undefined));
    return claiming;
  }

  async function settled(): Promise<void> {
    while (active.size > 0) await Promise.all(active.values());
  }

  return {
    wake,
    settled,
    async close() {
      state.isClosed = true;
      await claiming?.catch(() => undefined);
      await settled();
    },
  };
}

async function decide(context: SchedulerContext, schedule: ClaimedSchedule): Promise<void> {
  const plan = planTicks(schedule);
  const start = await decideStart(context, schedule, plan);
  const decided = await withOrganization(context.db, schedule.organizationId, async (tx) => {
    if (!(await holdSchedule(tx, schedule))) return [];
    return record(tx, { schedule, plan, start });
  });
  const startAt = plan.current?.startAt.getTime() ?? Number.NaN;
  for (const { outcome } of decided) {
    context.observer.decided(outcome);
    if (outcome !== "started") continue;
    context.observer.started((schedule.claimedAt.getTime() - startAt) / 1_000);
    context.onStarted();
  }
}

/** Before the transaction that records it: a build may take seconds. */
async function decideStart(
  { db, prepare }: SchedulerContext,
  schedule: ClaimedSchedule,
  { current, isLate }: TickPlan,
): Promise<Start> {
  if (current === null) return undefined;
  if (isLate && schedule.catchUp === "none") return without("missed", MISSED);
  // Only this schedule's own ticks start such runs, so none begins between this and the transaction.
  const unfinished = await withOrganization(db, schedule.organizationId, (tx) =>
    findUnfinishedRun(tx, schedule),
  );
  if (unfinished !== null) {
    return schedule.overlap === "queue" ? { waits: true } : without("skipped", `${OVERLAP}: ${unfinished}.`);
  }
  try {
    return { run: await prepare(schedule) };
  } catch (error) {
    return without("refused", refusal(error));
  }
}

async function record(
  tx: DatabaseTransactionConnection,
  { schedule, plan, start }: { schedule: ClaimedSchedule; plan: TickPlan; start: Start },
): Promise<DecidedTick[]> {
  const { current, next, passed } = plan;
  const ticks = passed.map(({ dueAt, hasWaited }): DecidedTick => {
    const { tick } = hasWaited ? without("skipped", OVERTAKEN) : without("missed", MISSED);
    return { dueAt, ...tick };
  });
  if (current === null || start === undefined) {
    await decideTicks(tx, schedule, { ticks, ...lookAt(next), isWaiting: false });
    return ticks;
  }
  if ("waits" in start) {
    // The end of the run sets another time. If it has ended meanwhile, the tick is due again at once.
    const hasEnded = (await findUnfinishedRun(tx, schedule)) === null;
    const nextAt = hasEnded ? current.dueAt : next.startAt;
    await decideTicks(tx, schedule, { ticks, nextDueAt: current.dueAt, nextAt, isWaiting: true });
    return ticks;
  }
  const tick = "run" in start ? await storedTick(tx, schedule, start.run) : start.tick;
  ticks.push({ dueAt: current.dueAt, ...tick });
  await decideTicks(tx, schedule, { ticks, ...lookAt(next), isWaiting: false });
  if (tick.outcome === "refused") await countRefusal(tx, schedule, tick.reason ?? "");
  return ticks;
}

const lookAt = ({ dueAt, startAt }: TickPlan["next"]) => ({ nextDueAt: dueAt, nextAt: startAt });

/** Stores the run; both it and its tick, or neither. */
async function storedTick(
  tx: DatabaseTransactionConnection,
  { organizationId, id: scheduleId, keyId }: ClaimedSchedule,
  run: PreparedRun,
): Promise<Omit<DecidedTick, "dueAt">> {
  try {
    const runId = await storeRun(tx, run, { organizationId, trigger: "schedule", scheduleId, keyId });
    return { outcome: "started", runId, reason: null };
  } catch (error) {
    if (error instanceof AppError && error.code === "quota_exceeded")
      return without("skipped", error.message).tick;
    return without("refused", refusal(error)).tick;
  }
}

function without(outcome: "skipped" | "missed" | "refused", reason: string) {
  return { tick: { outcome, runId: null, reason } };
}

/** Why a run can't be started. @throws the error itself if the same may succeed later */
function refusal(error: unknown): string {
  if (error instanceof AppError && !ERROR_KINDS[error.code].retry) return error.message;
  throw error;
}
