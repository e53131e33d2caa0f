import { createHotPool } from "@waymark/shared/db/pool.ts";
import { asServiceRole } from "@waymark/shared/db/service-role.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import { openScanQueue, openScanWorker } from "@waymark/shared/queue/scan-queue.ts";
import type { WorkerConfig } from "../config.ts";
import { repeat } from "../lib/repeat.ts";
import { keepHouse } from "../scans/keep-house.ts";
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
  const repeated = [
    repeat(() => reconcile({ pool, queue, logger }, { olderThanMs: config.reconcileMs }), {
      everyMs: config.reconcileMs,
      onError,
    }),
    repeat(() => keepHouse({ pool, logger }, config.retention), { everyMs: config.housekeepingMs, onError }),
  ];

  return {
    async close() {
      await Promise.all(repeated.map((one) => one.stop()));
      const deadline = setTimeout(() => void worker.close(true).catch(onError), config.shutdownMs);
      await worker.close(false);
      clearTimeout(deadline);
      await queue.close();
      await pool.end();
    },
  };
}
