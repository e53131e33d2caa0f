import { awaitDatabase, startWithDatabase } from "@waymark/server/db/await-database.ts";
import { createDatabasePool, type PgPool } from "@waymark/server/db/pool.ts";
import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";
import { createOutageLog } from "@waymark/server/lib/outage-log.ts";
import type { Observability } from "@waymark/server/observability/start.ts";
import { openJourneyWorker } from "@waymark/server/queue/journey-queue.ts";
import type { QueueBackend, QueueEvents } from "@waymark/server/queue/backend.ts";
import type { WorkerConfig } from "../config.ts";
import { createCheckpointBox } from "../journeys/checkpoint-box.ts";
import { createJourneyWorker } from "../journeys/journey-worker.ts";
import { createSecretOpener } from "../journeys/open-secrets.ts";
import { watchOwnAddresses } from "../journeys/own-addresses.ts";
import { createRunnerPool } from "../journeys/runner/runner-pool.ts";
import { repeat } from "../lib/repeat.ts";
import { buildSchedules } from "./build-schedules.ts";
import { createJourneyMetrics } from "./journey-metrics.ts";

/** The api's default port for metrics, where it runs on the same machine. */
const API_METRICS_PORT = 9464;

/** The part of the worker that claims and carries out runs of journeys. */
export interface RunningJourneys {
  /** Claims no more, and hands running journeys over. */
  close: () => Promise<void>;
}

interface Surroundings {
  pool: PgPool;
  databaseUrl: string;
  backend: QueueBackend;
  queueEvents: QueueEvents;
  observability: Pick<Observability, "logger" | "registry" | "tracing">;
}

// oxlint-disable-next-line max-lines-per-function -- wires everything up, in order
export async function buildJourneys(
  config: WorkerConfig,
  { pool, databaseUrl, backend, queueEvents, observability: { logger, registry, tracing } }: Surroundings,
): Promise<RunningJourneys> {
  const { journeys, keyRing } = config;
  if (keyRing === undefined) {
    logger.warn(
      "without JOURNEY_KEYS, a journey that loses its worker is torn down without what its steps obtained",
    );
  }
  const db = await awaitDatabase(
    () => createDatabasePool(databaseUrl, { max: 2, applicationName: "waymark-worker" }),
    logger,
  );
  const own = await watchOwnAddresses({
    urls: [config.databaseUrl, config.databaseDirectUrl, config.redisUrl].filter((url) => url !== undefined),
    ports: [config.metricsPort, journeys.apiPort, API_METRICS_PORT],
  });
  const runners = createRunnerPool({
    env: journeys.runnerEnv,
    // One beside those that carry out runs, so that it is ready for the next.
    processesMax: journeys.concurrency + 1,
  });
  const metrics = createJourneyMetrics(registry, { processes: () => runners.processes() });
  const outage = createOutageLog(logger, { what: "the database" });
  const reportAs = (message: string) => (error: Error) => {
    if (isDatabaseUnavailable(error)) outage.failed(error);
    else logger.error({ err: error }, message);
  };
  const onError = reportAs("runs of journeys could not be claimed or extended");
  const worker = createJourneyWorker(
    {
      pool,
      db,
      logger,
      runners,
      box: createCheckpointBox(db, keyRing),
      openSecrets: createSecretOpener(db, keyRing),
      egress: () => ({ operatorAllows: journeys.egressAllow, own: own.list() }),
      leaseMs: journeys.leaseMs,
      observer: metrics,
      tracing,
    },
    { concurrency: journeys.concurrency, onError },
  );
  const wake = async () => {
    await worker.wake();
    outage.recovered();
  };
  const queue = await startWithDatabase(() => openJourneyWorker(backend, { ...queueEvents, wake }), {
    close: (opened) => opened.close(true),
    logger,
  });
  const polling = repeat(wake, { everyMs: config.reconcileMs, onError });
  const schedules = buildSchedules(config, {
    pool,
    db,
    registry,
    onStarted: () => void wake().catch(onError),
    onError: reportAs("schedules of journeys could not be decided about"),
  });
  return {
    async close() {
      await Promise.all([polling.stop(), schedules.close()]);
      await own.stop();
      const queueClosed = queue.close(true);
      await worker.close(config.shutdownMs);
      await queueClosed;
      await db.end();
    },
  };
}
