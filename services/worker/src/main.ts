import { getPriority, setPriority } from "node:os";
import { runProcess } from "@waymark/shared/lib/run-process.ts";
import { startObservability } from "@waymark/shared/observability/start.ts";
import { buildWorker } from "./app/build-worker.ts";
import { loadConfig } from "./config.ts";

await runProcess("worker", async () => {
  const config = loadConfig();
  // Only ever further back: forwards is not allowed to everybody.
  if (getPriority() < config.nice) setPriority(config.nice);
  const observability = await startObservability(config, "worker");
  const worker = await buildWorker(config, observability);
  observability.ready();
  observability.logger.info("worker is ready");
  return {
    logger: observability.logger,
    async close() {
      await worker.close();
      await observability.close();
    },
  };
});
