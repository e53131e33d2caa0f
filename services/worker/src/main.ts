import { getPriority, setPriority } from "node:os";
import { runProcess } from "@waymark/shared/lib/run-process.ts";
import { startObservability } from "@waymark/shared/observability/start.ts";
import { buildWorker } from "./app/build-worker.ts";
import { loadConfig } from "./config.ts";

await runProcess("worker", async () => {
  const config = loadConfig();
  // Only lowers the priority: raising it needs privileges.
  if (getPriority() < config.nice) setPriority(config.nice);
  const observability = await startObservability(config, "worker");
  const worker = await buildWorker(config, observability);
  observability.ready(worker.readiness);
  observability.logger.info("worker is ready");
  return {
    logger: observability.logger,
    async close() {
      await worker.close();
      await observability.close();
    },
  };
});
