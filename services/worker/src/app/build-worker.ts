import { createPgPool } from "@waymark/server/db/pool.ts";
import { openServiceDatabase } from "@waymark/server/db/service-database.ts";
import { indexEndpointWords } from "@waymark/server/endpoint-search/queries.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { createReadiness, type Readiness } from "@waymark/server/lib/readiness.ts";
import { createOutageLog } from "@waymark/server/lib/outage-log.ts";
import { registerBacklogMetrics } from "@waymark/server/observability/backlog-metrics.ts";
import { pgPoolState, registerPoolMetrics } from "@waymark/server/observability/pool-metrics.ts";
import { sampleBacklog } from "@waymark/server/observability/queries.ts";
import { registerQueueMetrics } from "@waymark/server/observability/queue-metrics.ts";
import type { Observability } from "@waymark/server/observability/start.ts";
import { indexServiceRules } from "@waymark/server/scans/current-findings/queries.ts";
import { recordServiceBreaks } from "@waymark/server/services/breaks.queries.ts";
import {
  recordDailyTotals,
  recordServiceChanges,
  recordServiceDays,
} from "@waymark/server/services/overview.queries.ts";
import type { WorkerConfig } from "../config.ts";
import { atMost } from "../lib/at-most.ts";
import { repeat } from "../lib/repeat.ts";
import { startIndexing } from "../lib/start-indexing.ts";
import { startDeletingServices } from "../services/delete-services.ts";
import { buildComparisons } from "./build-comparisons.ts";
import { buildJourneys } from "./build-journeys.ts";
import { buildScans } from "./build-scans.ts";
import { deleteOldData, describeRetention } from "./delete-old-data.ts";
import { startRecordingOverviewDays } from "./record-overview-days.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

export interface RunningWorker {
  readiness: () => Promise<Readiness>;
  /** Starts no new work. What runs is finished or handed over; after the deadline, it is released when its lease expires. */
  close(): Promise<void>;
}

// oxlint-disable-next-line max-lines-per-function -- wires everything up, in order
export async function buildWorker(
  config: WorkerConfig,
  observability: Observability,
): Promise<RunningWorker> {
  const { logger, registry } = observability;
  const onError = (error: Error) => logger.error({ err: error }, "database connection error");
  const outage = createOutageLog(logger, { what: "the queue" });
  const { databaseUrl, databaseDirectUrl, check } = await openServiceDatabase(config, { logger, onError });
  const backend = { redisUrl: config.redisUrl, databaseUrl: databaseDirectUrl };
  const queueEvents = { onError: outage.failed, onUsable: outage.recovered };
  const pool = createPgPool(databaseUrl, {
    // Two for the batches' leases and the polls, two more for journeys.
    max: config.concurrency + 4,
    applicationName: "waymark-worker",
    onError,
  });
  const metrics = createWorkerMetrics(registry);
  registerPoolMetrics(registry, { hot: () => pgPoolState(pool) });
  registerBacklogMetrics(registry, () =>
    sampleBacklog(pool, { journeysRunningMax: JOURNEY_RUN_LIMITS.runningMax }),
  );
  registerQueueMetrics(registry, () => !outage.isOn());
  const surroundings = { pool, databaseUrl, backend, queueEvents, metrics, observability };
  const roles = [
    ...(config.roles.includes("scans")
      ? [
          await buildScans(config, surroundings),
          buildComparisons(config, surroundings),
          startDeletingServices({ pool, logger }),
          await startRecordingOverviewDays({
            pool,
            databaseUrl,
            logger,
            housekeepingMs: config.housekeepingMs,
          }),
          startIndexing({ pool, logger }, [
            { batchMax: 20, derive: recordServiceChanges },
            { batchMax: 20, derive: recordServiceDays },
            { batchMax: 1, derive: recordDailyTotals },
            { batchMax: 20, derive: recordServiceBreaks },
            { batchMax: 20, derive: indexServiceRules },
            { batchMax: 20, derive: indexEndpointWords },
          ]),
        ]
      : []),
    ...(config.roles.includes("journeys") ? [await buildJourneys(config, surroundings)] : []),
  ];
  const readiness = createReadiness({ database: check, queueUsable: () => !outage.isOn(), logger });
  await readiness();
  logger.info(config.retention, describeRetention(config.retention));
  const retention = repeat(
    async () => metrics.countDeleted(() => deleteOldData({ pool, logger }, config.retention)),
    {
      everyMs: config.housekeepingMs,
      onError: (error) => logger.error({ err: error }, "old data could not be deleted"),
    },
  );

  return {
    readiness,
    async close() {
      const retained = atMost(config.shutdownMs, retention.stop());
      await Promise.all([retained, ...roles.map((role) => role.close())]);
      await Promise.all([pool.end(), check.close()]);
    },
  };
}
