import { createDatabasePool, createPgPool } from "@waymark/shared/db/pool.ts";
import { openServiceDatabase } from "@waymark/shared/db/service-database.ts";
import { createReadiness } from "@waymark/shared/lib/readiness.ts";
import { createOutageLog } from "@waymark/shared/lib/outage-log.ts";
import { runProcess } from "@waymark/shared/lib/run-process.ts";
import { registerBacklogMetrics } from "@waymark/shared/observability/backlog-metrics.ts";
import {
  generalPoolState,
  pgPoolState,
  registerPoolMetrics,
} from "@waymark/shared/observability/pool-metrics.ts";
import { registerQueueMetrics } from "@waymark/shared/observability/queue-metrics.ts";
import { sampleScanBacklog } from "@waymark/shared/observability/queries.ts";
import { startObservability } from "@waymark/shared/observability/start.ts";
import { openScanQueue } from "@waymark/shared/queue/scan-queue.ts";
import { buildApp } from "./app/build-app.ts";
import { loadConfig } from "./config.ts";

/** The listen backlog. With Node's default of 511, the kernel drops connections when many clients connect at once. */
const LISTEN_BACKLOG = 4_096;

await runProcess("api", async () => {
  const config = loadConfig();
  const observability = await startObservability(config, "api");
  const { logger, registry } = observability;
  const onError = (error: Error) => logger.error({ err: error }, "database connection error");
  const outage = createOutageLog(logger, { what: "the queue" });

  const { databaseUrl, databaseDirectUrl, check } = await openServiceDatabase(config, { logger, onError });
  const applicationName = "waymark-api";
  const pool = createPgPool(databaseUrl, { max: config.databasePoolMax, applicationName, onError });
  const db = await createDatabasePool(databaseUrl, { max: config.databasePoolMax, applicationName });
  const queue = openScanQueue(
    { redisUrl: config.redisUrl, databaseUrl: databaseDirectUrl },
    { onError: outage.failed, onUsable: outage.recovered },
  );
  await queue.started();

  registerPoolMetrics(registry, { hot: () => pgPoolState(pool), general: () => generalPoolState(db) });
  registerBacklogMetrics(registry, () => sampleScanBacklog(pool));
  registerQueueMetrics(registry, () => !outage.isOn());

  const readiness = createReadiness({ database: check, queueUsable: () => !outage.isOn(), logger });
  await readiness();

  const app = await buildApp({ config, pool, db, queue, readiness, observability });
  await app.listen({ host: config.host, port: config.port, backlog: LISTEN_BACKLOG });
  observability.ready(readiness);
  return {
    logger,
    async close() {
      await app.close();
      await queue.close();
      await Promise.all([pool.end(), db.end(), check.close()]);
      await observability.close();
    },
  };
});
