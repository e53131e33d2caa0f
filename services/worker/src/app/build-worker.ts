import { setTimeout as sleep } from "node:timers/promises";
import { createPgPool } from "@waymark/shared/db/pool.ts";
import { openServiceDatabase } from "@waymark/shared/db/service-database.ts";
import { isDatabaseUnavailable } from "@waymark/shared/db/unavailable.ts";
import { createReadiness, type Readiness } from "@waymark/shared/lib/readiness.ts";
import { createOutageLog } from "@waymark/shared/lib/outage-log.ts";
import { registerBacklogMetrics } from "@waymark/shared/observability/backlog-metrics.ts";
import { pgPoolState, registerPoolMetrics } from "@waymark/shared/observability/pool-metrics.ts";
import { sampleScanBacklog } from "@waymark/shared/observability/queries.ts";
import { registerQueueMetrics } from "@waymark/shared/observability/queue-metrics.ts";
import type { Observability } from "@waymark/shared/observability/start.ts";
import { openScanWorker } from "@waymark/shared/queue/scan-queue.ts";
import type { WorkerConfig } from "../config.ts";
import { repeat } from "../lib/repeat.ts";
import { createBatchScheduler } from "../scans/batch-scheduler.ts";
import { createBatchProcessor } from "../scans/process-batch.ts";
import { deleteOldData } from "../scans/retention.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

/** BullMQ's close waits for its server without limit. An unfinished job is only a used wake-up, so it can be dropped. */
const QUEUE_CLOSE_MS = 2_000;

export interface RunningWorker {
  readiness: () => Promise<Readiness>;
  /** Starts no new work. Running batches finish; after the deadline, their runs are released when their leases expire. */
  close(): Promise<void>;
}

// oxlint-disable-next-line max-lines-per-function -- wires everything up, in order
export async function buildWorker(
  config: WorkerConfig,
  { logger, registry, tracing }: Observability,
): Promise<RunningWorker> {
  const onError = (error: Error) => logger.error({ err: error }, "database connection error");
  const outage = createOutageLog(logger, { what: "the queue" });
  const { databaseUrl, databaseDirectUrl, check } = await openServiceDatabase(config, { logger, onError });
  const backend = { redisUrl: config.redisUrl, databaseUrl: databaseDirectUrl };
  const pool = createPgPool(databaseUrl, {
    max: config.concurrency + 2,
    applicationName: "waymark-worker",
    onError,
  });
  const metrics = createWorkerMetrics(registry);
  registerPoolMetrics(registry, { hot: () => pgPoolState(pool) });
  registerBacklogMetrics(registry, () => sampleScanBacklog(pool));
  registerQueueMetrics(registry, () => !outage.isOn());
  const { leaseMs } = config;
  const processBatch = createBatchProcessor({ pool, logger, leaseMs, observer: metrics.batches, tracing });

  // A job is a wake-up for all waiting runs, batch by batch, one organization after another. It was added after its runs
  // were committed, so if a claim finds nothing, other workers have them.
  const databaseOutage = createOutageLog(logger, { what: "the database" });
  const runBatch = async (onFull: () => void) => {
    const claimed = await processBatch(onFull);
    databaseOutage.recovered();
    return claimed;
  };
  const scheduler = createBatchScheduler(runBatch, {
    runnersMax: config.concurrency,
    onError(error) {
      if (isDatabaseUnavailable(error)) databaseOutage.failed(error);
      else logger.error({ err: error }, "a batch could not be persisted");
    },
    onUnannounced: (runs) => metrics.reconciled(runs),
  });
  const worker = openScanWorker(
    backend,
    { concurrency: config.concurrency, onError: outage.failed, onUsable: outage.recovered },
    () => scheduler.wake(),
  );
  await worker.started();
  const readiness = createReadiness({ database: check, queueUsable: () => !outage.isOn(), logger });
  await readiness();
  const repeated = [
    // The reconciler polls Postgres regardless of the queue. It handles all cases alike: an unavailable, full, read-only or
    // emptied queue, a crashed worker, and the end of a pause between attempts.
    repeat(async () => scheduler.poll(), {
      everyMs: config.reconcileMs,
      onError: (error) => logger.error({ err: error }, "the search for unfinished scan runs failed"),
    }),
    repeat(async () => metrics.countDeleted(() => deleteOldData({ pool, logger }, config.retention)), {
      everyMs: config.housekeepingMs,
      onError: (error) => logger.error({ err: error }, "old data could not be deleted"),
    }),
  ];

  return {
    readiness,
    async close() {
      const workDone = Promise.all([scheduler.close(), ...repeated.map((one) => one.stop())]);
      const queueClosed = worker.close(false);
      await atMost(config.shutdownMs, workDone);
      await atMost(QUEUE_CLOSE_MS, queueClosed);
      await worker.close(true);
      await Promise.all([pool.end(), check.close()]);
    },
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([work, late]);
  timer.abort();
}
