import { setTimeout as sleep } from "node:timers/promises";
import { awaitDatabase, startWithDatabase } from "@waymark/server/db/await-database.ts";
import { createDatabasePool, createPgPool } from "@waymark/server/db/pool.ts";
import { openServiceDatabase } from "@waymark/server/db/service-database.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import type { DestinationStream } from "@waymark/server/lib/logger.ts";
import { createReadiness, notReadyBecauseItStops } from "@waymark/server/lib/readiness.ts";
import { createOutageLog } from "@waymark/server/lib/outage-log.ts";
import type { RunningProcess } from "@waymark/server/lib/run-process.ts";
import { registerBacklogMetrics } from "@waymark/server/observability/backlog-metrics.ts";
import {
  generalPoolState,
  pgPoolState,
  registerPoolMetrics,
} from "@waymark/server/observability/pool-metrics.ts";
import { registerQueueMetrics } from "@waymark/server/observability/queue-metrics.ts";
import { sampleBacklog } from "@waymark/server/observability/queries.ts";
import { startObservability } from "@waymark/server/observability/start.ts";
import { openQueues } from "@waymark/server/queue/queues.ts";
import type { ApiConfig } from "../config.ts";
import { buildApp } from "./build-app.ts";
import { withReplica } from "./replica.ts";

/** The listen backlog. With Node's default of 511, the kernel drops connections when many clients connect at once. */
const LISTEN_BACKLOG = 4_096;

/**
 * Starts the whole api: metrics, database, queue and HTTP server.
 *
 * @param destination where it logs, instead of standard output
 * @throws Error if something that it needs is missing; what it began by then ends with the process
 */
export async function startApi(config: ApiConfig, destination?: DestinationStream): Promise<RunningProcess> {
  const observability = await startObservability(config, "api", destination);
  const { logger, registry } = observability;
  const onError = (error: Error) => logger.error({ err: error }, "database connection error");
  const outage = createOutageLog(logger, { what: "the queue" });

  const { databaseUrl, databaseDirectUrl, check } = await openServiceDatabase(config, { logger, onError });
  const applicationName = "waymark-api";
  const pool = createPgPool(databaseUrl, { max: config.databasePoolMax, applicationName, onError });
  const openPool = (url: string) => createDatabasePool(url, { max: config.databasePoolMax, applicationName });
  const primary = await awaitDatabase(() => openPool(databaseUrl), logger);
  const db = withReplica(primary, { config, openPool, observability });
  const backend = { redisUrl: config.redisUrl, databaseUrl: databaseDirectUrl };
  const queueEvents = { onError: outage.failed, onUsable: outage.recovered };
  const queues = await startWithDatabase(() => openQueues(backend, queueEvents), {
    close: (opened) => opened.close(),
    logger,
  });

  registerPoolMetrics(registry, { hot: () => pgPoolState(pool), general: () => generalPoolState(db) });
  registerBacklogMetrics(registry, () =>
    sampleBacklog(pool, { journeysRunningMax: JOURNEY_RUN_LIMITS.runningMax }),
  );
  registerQueueMetrics(registry, () => !outage.isOn());

  const ownReadiness = createReadiness({ database: check, queueUsable: () => !outage.isOn(), logger });
  await ownReadiness();
  const draining = new AbortController();
  const isDraining = () => draining.signal.aborted;
  const readiness = async () =>
    isDraining() ? notReadyBecauseItStops(await ownReadiness()) : ownReadiness();

  const app = await buildApp({ config, pool, db, queues, readiness, isDraining, observability });
  await app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG });
  observability.ready(readiness);
  return {
    logger,
    async drain() {
      draining.abort();
      logger.info({ delayMs: config.shutdownDelayMs }, "shutting down");
      await sleep(config.shutdownDelayMs);
    },
    async close() {
      await app.close();
      await queues.close();
      await Promise.all([pool.end(), db.end(), check.close()]);
      await observability.close();
    },
  };
}
