import { createPostgresBackend, Worker, type WorkerOptions, withBackend } from "bullmq";
import { openPostgresPool, openRedis, probeRedis } from "./backend.ts";
import type { QueueBackend, QueueEvents } from "./backend.ts";
import { probeAfterErrors } from "./probe-after-errors.ts";
import { type QueueKind, withTimeout } from "./wake-up-queue.ts";

const { Worker: PostgresWorker } = withBackend(createPostgresBackend);

export interface WakeUpWorker {
  /**
   * On Postgres, resolves when the first connection is established. BullMQ doesn't retry it, so if it fails, the worker
   * must be opened again, or it would never work. On Redis it resolves immediately, because BullMQ reconnects.
   *
   * @throws Error if Postgres can't be reached or the queue's tables are missing
   */
  started(): Promise<void>;
  /**
   * Accepts no new jobs and waits for the running ones. With `force` it doesn't wait, even if another close is waiting.
   */
  close(force: boolean): Promise<void>;
}

const TIMES = {
  lockDuration: 30_000,
  stalledInterval: 15_000,
  // BullMQ's delay of 15 s after a failure can't be interrupted, neither by the queue's recovery nor by a close.
  runRetryDelay: 1_000,
};

/** Calls `work` for each job, at most `concurrency` concurrently: a job is a wake-up for everything that waits. */
export function openWakeUpWorker(
  kind: Pick<QueueKind<unknown>, "queueName">,
  backend: QueueBackend,
  { work, ...options }: QueueEvents & { concurrency: number; work: () => Promise<void> },
): WakeUpWorker {
  const { onUsable = () => undefined } = options;
  const onError = (error: Error) => {
    options.onError(error);
    probes.add();
  };
  const { worker, probe, disconnect } = openWorker(kind, backend, {
    options: { concurrency: options.concurrency, ...TIMES },
    onError,
    work,
  });
  const probes = probeAfterErrors(async () => {
    await withTimeout(probe());
    onUsable();
  });
  const pauses = pauseAfterErrors(worker);
  worker.on("error", (error) => {
    onError(error);
    pauses.add();
  });
  // Both come from a script that writes.
  worker.on("active", onUsable);
  worker.on("drained", onUsable);
  const forced = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const close = async () => {
    pauses.end();
    probes.end();
    // BullMQ's own close can't be forced once it waits, and for an unavailable server it waits forever.
    await Promise.race([worker.close(false).catch(onError), forced.promise]);
    disconnect();
  };
  return {
    started: async () => {
      if (backend.redisUrl === undefined) await worker.waitUntilReady();
    },
    async close(force) {
      if (force) forced.resolve();
      await (closing ??= close());
    },
  };
}

const PAUSE_STEP_MS = 100;
const PAUSE_MAX_MS = 2_000;
/** Errors with a longer time between them belong to different outages. */
const SAME_OUTAGE_MS = 10_000;

/**
 * Pauses a worker after each error. BullMQ itself pauses only while it has no connection: a server that answers with errors, for
 * example without a permission or in a cluster that is down, would be asked again at once, thousands of times a second.
 */
function pauseAfterErrors(worker: Pick<Worker, "pause" | "resume">) {
  let timer: NodeJS.Timeout | undefined;
  let errors = 0;
  let lastAt = -Infinity;
  let isClosing = false;
  return {
    add() {
      if (timer !== undefined || isClosing) return;
      errors = performance.now() - lastAt < SAME_OUTAGE_MS ? errors + 1 : 1;
      lastAt = performance.now();
      // Neither call rejects: BullMQ emits an error of resume as an event.
      void worker.pause(true);
      timer = setTimeout(
        () => {
          timer = undefined;
          void worker.resume();
        },
        Math.min(errors * PAUSE_STEP_MS, PAUSE_MAX_MS),
      );
    },
    end() {
      clearTimeout(timer);
      isClosing = true;
    },
  };
}

function openWorker(
  { queueName }: Pick<QueueKind<unknown>, "queueName">,
  backend: QueueBackend,
  {
    options,
    onError,
    work,
  }: {
    options: Omit<WorkerOptions, "connection">;
    onError: (error: Error) => void;
    work: () => Promise<void>;
  },
) {
  if (backend.redisUrl === undefined) {
    const pool = openPostgresPool(backend.databaseUrl, onError);
    const worker = new PostgresWorker(queueName, work, {
      ...options,
      connection: pool,
    });
    return {
      worker,
      probe: async () => void (await pool.query("SELECT")),
      disconnect: () => void pool.end().catch(onError),
    };
  }
  const { connection, prefix } = openRedis(backend.redisUrl, onError, { maxRetriesPerRequest: null });
  const worker = new Worker(queueName, work, { ...options, connection, prefix });
  const probe = async () => {
    // It would wait for the connection together with all later ones.
    if (connection.status !== "ready") throw new Error("there is no connection");
    await probeRedis(connection);
  };
  return { worker, probe, disconnect: () => connection.disconnect() };
}
