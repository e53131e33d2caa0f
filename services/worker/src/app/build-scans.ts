import type { PgPool } from "@waymark/server/db/pool.ts";
import { startWithDatabase } from "@waymark/server/db/await-database.ts";
import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";
import { createOutageLog } from "@waymark/server/lib/outage-log.ts";
import type { Observability } from "@waymark/server/observability/start.ts";
import { openScanWorker } from "@waymark/server/queue/scan-queue.ts";
import type { QueueBackend, QueueEvents } from "@waymark/server/queue/backend.ts";
import type { WorkerConfig } from "../config.ts";
import { atMost } from "../lib/at-most.ts";
import { repeat } from "../lib/repeat.ts";
import { createBatchScheduler } from "../scans/batch-scheduler.ts";
import { createBatchProcessor } from "../scans/process-batch.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** BullMQ's close waits for its server without limit. An unfinished job is only a used wake-up, so it can be dropped. */
const QUEUE_CLOSE_MS = 2_000;

/** The part of the worker that persists accepted scans. */
export interface RunningScans {
  /** Claims no more. Running batches finish; after the deadline, their runs are released when their leases expire. */
  close: () => Promise<void>;
}

interface ScanParts {
  pool: PgPool;
  backend: QueueBackend;
  queueEvents: QueueEvents;
  metrics: WorkerMetrics;
  observability: Pick<Observability, "logger" | "tracing">;
}

export async function buildScans(config: WorkerConfig, parts: ScanParts): Promise<RunningScans> {
  const {
    backend,
    queueEvents,
    observability: { logger },
  } = parts;
  const scheduler = buildScheduler(config, parts);
  const worker = await startWithDatabase(
    () =>
      openScanWorker(backend, { concurrency: config.concurrency, ...queueEvents }, () => scheduler.wake()),
    { close: (opened) => opened.close(true), logger },
  );
  // The reconciler polls Postgres regardless of the queue. It handles all cases alike: an unavailable, full, read-only or
  // emptied queue, a crashed worker, and the end of a pause between attempts.
  const polling = repeat(async () => scheduler.poll(), {
    everyMs: config.reconcileMs,
    onError: (error) => logger.error({ err: error }, "the search for unfinished scan runs failed"),
  });
  return {
    async close() {
      const workDone = Promise.all([scheduler.close(), polling.stop()]);
      const queueClosed = worker.close(false);
      await atMost(config.shutdownMs, workDone);
      await atMost(QUEUE_CLOSE_MS, queueClosed);
      await worker.close(true);
    },
  };
}

/**
 * Batches of waiting runs. A job is a wake-up for all of them, batch by batch, one organization after another. It was added after
 * its runs were committed, so if a claim finds nothing, other workers have them.
 */
function buildScheduler(
  { leaseMs, concurrency }: WorkerConfig,
  { pool, metrics, observability: { logger, tracing } }: ScanParts,
) {
  const processBatch = createBatchProcessor({ pool, logger, leaseMs, observer: metrics.batches, tracing });
  const databaseOutage = createOutageLog(logger, { what: "the database" });
  const runBatch = async (onFull: () => void) => {
    const claimed = await processBatch(onFull);
    databaseOutage.recovered();
    return claimed;
  };
  return createBatchScheduler(runBatch, {
    runnersMax: concurrency,
    onError(error) {
      if (isDatabaseUnavailable(error)) databaseOutage.failed(error);
      else logger.error({ err: error }, "a batch could not be persisted");
    },
    onUnannounced: (runs) => metrics.reconciled(runs),
  });
}
