import { createLogger } from "@waymark/shared/lib/logger.ts";
import { runProcess } from "@waymark/shared/lib/run-process.ts";
import { buildWorker } from "./app/build-worker.ts";
import { loadConfig } from "./config.ts";

await runProcess("worker", async () => {
  const config = loadConfig();
  const logger = createLogger({ service: "worker", level: config.logLevel });
  const worker = await buildWorker(config, logger);
  logger.info("worker is ready");
  return { logger, close: () => worker.close() };
});
