import { analyzeGrownTables } from "@waymark/shared/db/analyze.ts";
import { createHotPool } from "@waymark/shared/db/pool.ts";
import { createDatabaseCheck } from "@waymark/shared/db/readiness.ts";
import { asServiceRole } from "@waymark/shared/db/service-role.ts";
import { createReadiness, type Readiness } from "@waymark/shared/lib/readiness.ts";
import { createOutageLog } from "@waymark/shared/lib/outage-log.ts";
import { registerBacklogMetrics } from "@waymark/shared/observability/backlog-metrics.ts";
import { hotPoolState, registerPoolMetrics } from "@waymark/shared/observability/pool-metrics.ts";
import { sampleScanBacklog } from "@waymark/shared/observability/queries.ts";
import type { Observability } from "@waymark/shared/observability/start.ts";
import { openScanQueue, openScanWorker } from "@waymark/shared/queue/scan-queue.ts";
import type { WorkerConfig } from "../config.ts";
import { repeat } from "../lib/repeat.ts";
import { keepHouse } from "../scans/keep-house.ts";
import { createLanes } from "../scans/lanes.ts";
import { createBatchProcessor } from "../scans/process-batch.ts";
import { reconcile } from "../scans/reconcile.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

export interface RunningWorker {
  readiness: () => Promise<Readiness>;
  /** No new work; what runs is finished, or after the deadline handed back by its lease running out. */
  close(): Promise<void>;
}

export async function buildWorker(
  config: WorkerConfig,
  { logger, registry, tracing }: Observability,
): Promise<RunningWorker> {
  const onError = (error: Error) => logger.error({ err: error }, "database connection error");
  const outage = createOutageLog(logger, { what: "the queue" });
  const queueEvents = { onError: outage.failed, onUsable: outage.recovered };
  const databaseUrl = await asServiceRole(config.databaseUrl);
  const backend = { redisUrl: config.redisUrl, databaseUrl: await asServiceRole(config.databaseDirectUrl) };
  const pool = createHotPool(databaseUrl, {
    max: config.concurrency + 2,
    applicationName: "waymark-worker",
    onError,
  });
  const queue = openScanQueue(backend, queueEvents);
  const metrics = createWorkerMetrics(registry);
  registerPoolMetrics(registry, { hot: () => hotPoolState(pool) });
  registerBacklogMetrics(registry, () => sampleScanBacklog(pool));
  const { leaseMs } = config;
  const processBatch = createBatchProcessor({ pool, logger, leaseMs, observer: metrics.batches, tracing });

  // A job is a wake-up for whatever waits, batch by batch, of one organization after the other. It was added after its
  // runs were committed, so a claim that finds nothing means that others have them.
  const notPersisted = (error: Error) => logger.error({ err: error }, "a batch could not be persisted");
  const lanes = createLanes(processBatch, { lanesMax: config.concurrency, onError: notPersisted });
  const worker = openScanWorker(backend, { concurrency: config.concurrency, ...queueEvents }, () =>
    lanes.wake(),
  );
  await Promise.all([queue.started(), worker.started()]);
  const database = await createDatabaseCheck(databaseUrl, { onError });
  const readiness = createReadiness({ database, queue, logger });
  await readiness();
  const repeated = [
    repeat(
      async () =>
        metrics.reconciled(await reconcile({ pool, queue, logger }, { olderThanMs: config.reconcileMs })),
      {
        everyMs: config.reconcileMs,
        onError: (error) => logger.error({ err: error }, "unfinished scan runs could not be looked for"),
      },
    ),
    repeat(() => analyzeGrownTables(pool), {
      everyMs: config.reconcileMs,
      onError: (error) => logger.error({ err: error }, "tables that have grown could not be analyzed"),
    }),
    repeat(async () => metrics.housekept(() => keepHouse({ pool, logger }, config.retention)), {
      everyMs: config.housekeepingMs,
      onError: (error) => logger.error({ err: error }, "old data could not be deleted"),
    }),
  ];

  return {
    readiness,
    async close() {
      const workDone = Promise.all([lanes.close(), ...repeated.map((one) => one.stop())]);
      const { promise: late, resolve: giveUp } = Promise.withResolvers<void>();
      const deadline = setTimeout(() => {
        void worker.close(true).catch(outage.failed);
        giveUp();
      }, config.shutdownMs);
      await Promise.all([worker.close(false), Promise.race([workDone, late])]);
      clearTimeout(deadline);
      await queue.close();
      await Promise.all([pool.end(), database.close()]);
    },
  };
}
