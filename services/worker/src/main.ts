import { getPriority, setPriority } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runProcess } from "@waymark/shared/lib/run-process.ts";
import { startObservability } from "@waymark/shared/observability/start.ts";
import { buildWorker } from "./app/build-worker.ts";
import { loadConfig } from "./config.ts";

// The database driver allocates and frees copies of whole scans. V8 counts these separately and runs a full garbage
// collection for every few of them, which took half of a worker's time. Counted as part of the heap, they trigger a
// collection only when there is garbage. The api doesn't set this, because it would use a quarter more memory.
setFlagsFromString("--external-memory-accounted-in-global-limit");
// A batch's bytes are half of an otherwise small heap. With space for four times the live data, at most 80 MB more, a
// worker needs half the processor time for a large scan: garbage collection took the rest.
setFlagsFromString("--heap-growing-percent=300");

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
