import type { QueueBackend, QueueEvents } from "./backend.ts";
import type { QueueKind, WakeUpQueue } from "./wake-up-queue.ts";
import { openWakeUpWorker, type WakeUpWorker } from "./wake-up-worker.ts";

export interface JourneyJob {
  organizationId: string;
  runId: string;
}

export type JourneyQueue = WakeUpQueue<JourneyJob>;

export const JOURNEY_QUEUE: QueueKind<JourneyJob> = {
  queueName: "journey-runs",
  jobName: "run-journey",
  idOf: (job) => job.runId,
};

/** Calls `wake` for each job: a job is a wake-up, and not a run. */
export function openJourneyWorker(
  backend: QueueBackend,
  options: QueueEvents & { wake: () => Promise<void> },
): WakeUpWorker {
  const { wake, ...events } = options;
  return openWakeUpWorker(JOURNEY_QUEUE, backend, { ...events, concurrency: 1, work: wake });
}
