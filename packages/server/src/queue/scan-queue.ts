import type { QueueBackend, QueueEvents } from "./backend.ts";
import type { QueueKind, WakeUpQueue } from "./wake-up-queue.ts";
import { openWakeUpWorker, type WakeUpWorker } from "./wake-up-worker.ts";

export interface ScanJob {
  organizationId: string;
  scanRunId: string;
}

export type ScanQueue = WakeUpQueue<ScanJob>;

export const SCAN_QUEUE: QueueKind<ScanJob> = {
  queueName: "scan-persistence",
  jobName: "persist-scan",
  idOf: (job) => job.scanRunId,
};

/** Calls `work` for each job, at most `concurrency` concurrently. */
export function openScanWorker(
  backend: QueueBackend,
  options: QueueEvents & { concurrency: number },
  work: () => Promise<void>,
): WakeUpWorker {
  return openWakeUpWorker(SCAN_QUEUE, backend, { ...options, work });
}
