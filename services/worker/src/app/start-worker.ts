import { setTimeout as sleep } from "node:timers/promises";
import type { DestinationStream, Logger } from "@waymark/server/lib/logger.ts";
import type { RunningProcess } from "@waymark/server/lib/run-process.ts";
import { startObservability } from "@waymark/server/observability/start.ts";
import type { WorkerConfig } from "../config.ts";
import { buildWorker, type RunningWorker } from "./build-worker.ts";

/** How often a worker that is not ready after its start looks again. */
const CHECK_MS = 1_000;

/**
 * Starts the whole worker.
 *
 * @param destination where it logs, instead of standard output
 * @throws Error if something that it needs is missing; what it began by then ends with the process
 */
export async function startWorker(
  config: WorkerConfig,
  destination?: DestinationStream,
): Promise<RunningProcess> {
  const observability = await startObservability(config, "worker", destination);
  const worker = await buildWorker(config, observability);
  observability.ready(worker.readiness);
  const closing = new AbortController();
  const { ready } = await worker.readiness();
  if (ready) observability.logger.info("worker is ready");
  else {
    observability.logger.warn("worker has started, and is not ready");
    void announceReady(worker, { logger: observability.logger, signal: closing.signal });
  }
  return {
    logger: observability.logger,
    async close() {
      closing.abort();
      await worker.close();
      await observability.close();
    },
  };
}

/** Without a probe nobody asks, and the log would not say that the worker became ready after all. */
async function announceReady(
  worker: RunningWorker,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  const readyAfter = async (): Promise<boolean> => {
    await sleep(CHECK_MS, undefined, { signal, ref: false });
    return (await worker.readiness()).ready;
  };
  try {
    while (!(await readyAfter()));
    logger.info("worker is ready");
  } catch {
    // It is closing.
  }
}
