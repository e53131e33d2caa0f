import { createDatabasePool, createHotPool } from "@waymark/shared/db/pool.ts";
import { asServiceRole } from "@waymark/shared/db/service-role.ts";
import { createLogger } from "@waymark/shared/lib/logger.ts";
import { runProcess } from "@waymark/shared/lib/run-process.ts";
import { openScanQueue } from "@waymark/shared/queue/scan-queue.ts";
import { buildApp } from "./app/build-app.ts";
import { loadConfig } from "./config.ts";

await runProcess("api", async () => {
  const config = loadConfig();
  const logger = createLogger({ service: "api", level: config.logLevel });
  const onError = (error: Error) => logger.error({ err: error }, "connection error");

  const databaseUrl = await asServiceRole(config.databaseUrl);
  const applicationName = "waymark-api";
  const pool = createHotPool(databaseUrl, { max: config.databasePoolMax, applicationName, onError });
  const db = await createDatabasePool(databaseUrl, { max: config.databasePoolMax, applicationName });
  const queue = openScanQueue(
    { redisUrl: config.redisUrl, databaseUrl: await asServiceRole(config.databaseDirectUrl) },
    { onError },
  );

  const app = await buildApp({ config, logger, pool, db, queue });
  await app.listen({ host: config.host, port: config.port });
  return {
    logger,
    async close() {
      await app.close();
      await queue.close();
      await Promise.all([pool.end(), db.end()]);
    },
  };
});
