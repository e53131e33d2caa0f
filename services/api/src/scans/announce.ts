import type { Logger } from "@waymark/shared/lib/logger.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import type { ScanJob, ScanQueue } from "@waymark/shared/queue/scan-queue.ts";

/**
 * Announces accepted runs without making their requests wait. What the queue misses is no loss: the run is in the
 * database, and the workers' reconciler announces it again.
 */
export function createAnnouncer(queue: ScanQueue, logger: Logger) {
  const underWay = new Set<Promise<void>>();
  return {
    announce: (job: ScanJob): void => {
      const announcement = queue
        .announce(job)
        .catch((error: unknown) => {
          const reason = toError(error).message;
          logger.warn({ reason, scanRunId: job.scanRunId }, "scan run could not be announced to the queue");
        })
        .finally(() => underWay.delete(announcement));
      underWay.add(announcement);
    },
    /** Resolves when nothing is under way. Each announcement has a time limit of its own. */
    settled: async (): Promise<void> => {
      await Promise.all(underWay);
    },
  };
}
