import type { DatabasePool, PgPool } from "@waymark/server/db/pool.ts";
import { createCompiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { Registry } from "prom-client";
import type { WorkerConfig } from "../config.ts";
import { createPreparation } from "../journey-schedules/prepare-scheduled.ts";
import { createScheduler } from "../journey-schedules/scheduler.ts";
import { atMost } from "../lib/at-most.ts";
import { repeat } from "../lib/repeat.ts";
import { createScheduleMetrics } from "./schedule-metrics.ts";

/** The part of the worker that starts the runs of schedules. */
export interface RunningSchedules {
  /** Starts no more. What is being built is left to another worker. */
  close: () => Promise<void>;
}

export function buildSchedules(
  { reconcileMs, shutdownMs }: Pick<WorkerConfig, "reconcileMs" | "shutdownMs">,
  surroundings: {
    pool: PgPool;
    db: DatabasePool;
    registry: Registry;
    onStarted: () => void;
    onError: (error: Error) => void;
  },
): RunningSchedules {
  const { pool, db, registry, onStarted, onError } = surroundings;
  const compiler = createCompiler();
  const scheduler = createScheduler({
    pool,
    db,
    prepare: createPreparation({ db, compiler }),
    onStarted,
    observer: createScheduleMetrics(registry, pool),
    onError,
  });
  const polling = repeat(() => scheduler.wake(), { everyMs: reconcileMs, onError });
  return {
    async close() {
      await polling.stop();
      compiler[Symbol.dispose]();
      await atMost(shutdownMs, scheduler.close());
    },
  };
}
