import { createHotPool } from "@waymark/shared/db/pool.ts";
import { asServiceRole } from "@waymark/shared/db/service-role.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import { openScanQueue, openScanWorker } from "@waymark/shared/queue/scan-queue.ts";
import type { WorkerConfig } from "../config.ts";
import { createBatchProcessor } from "../scans/process-batch.ts";
import { reconcile } from "../scans/reconcile.ts";

export interface RunningWorker {
  /** No new work; what runs is finished, or after the deadline handed back by its lease running out. */
  close(): Promise<void>;
}

export async function buildWorker(config: WorkerConfig, logger: Logger): Promise<RunningWorker> {
  const onError = (error: Error) => logger.error({ err: error }, "connection error");
  const databaseUrl = await asServiceRole(config.databaseUrl);
  const backend = { redisUrl: config.redisUrl, databaseUrl: await asServiceRole(config.databaseDirectUrl) };
  const pool = createHotPool(databaseUrl, {
    max: config.concurrency + 2,
    applicationName: "waymark-worker",
    onError,
  });
  const queue = openScanQueue(backend, { onError });
  const processBatch = createBatchProcessor({ pool, logger, leaseMs: config.leaseMs });

  // A job is a wake-up: it pays for one batch of whichever organization is next, not for its own run. There are
  // at least as many jobs as runs, so every run is claimed when all jobs are done.
  const worker = openScanWorker(backend, { concurrency: config.concurrency, onError }, async () => {
    await processBatch();
  });
  const sweeper = startSweeper(config.reconcileMs, onError, () =>
    reconcile({ pool, queue, logger }, { olderThanMs: config.reconcileMs }),
  );

  return {
    async close() {
      await sweeper.stop();
      const deadline = setTimeout(() => void worker.close(true).catch(onError), config.shutdownMs);
      await worker.close(false);
      clearTimeout(deadline);
      await queue.close();
      await pool.end();
    },
  };
}

/** Repeats `sweep`, never two at once, until it is stopped. */
function startSweeper(everyMs: number, onError: (error: Error) => void, sweep: () => Promise<unknown>) {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = () => {
    // Jittered, so that many workers don't sweep at the same moment.
    timer = setTimeout(run, everyMs * (0.75 + Math.random() / 2));
  };
  const run = () => {
    running = sweep()
      .catch(onError)
      .finally(() => {
        if (!stopped) schedule();
      });
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
