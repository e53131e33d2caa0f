import { getPriority, setPriority } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runProcess } from "@waymark/shared/lib/run-process.ts";
import { startObservability } from "@waymark/shared/observability/start.ts";
import { buildWorker } from "./app/build-worker.ts";
import { loadConfig } from "./config.ts";

// The driver's copies of whole scans come and go by the megabyte. V8 counts them apart and collects the whole heap for
// every few of them, half of a worker's time; counted with the heap they let it collect when there is something to
// collect. Not for the api, which would take a quarter more memory.
setFlagsFromString("--external-memory-accounted-in-global-limit");
// A batch's bytes alone are half of a heap that holds little else. With room for four times what is alive, 80 MB more at
// worst, a worker spends half the processor time on a large scan: the rest went into looking through the heap.
setFlagsFromString("--heap-growing-percent=300");

await runProcess("worker", async () => {
  const config = loadConfig();
  // Only ever further back: forwards is not allowed to everybody.
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
