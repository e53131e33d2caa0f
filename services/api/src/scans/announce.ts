import type { Logger } from "@waymark/shared/lib/logger.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import type { Tracing } from "@waymark/shared/observability/tracing.ts";
import type { ScanJob, ScanQueue } from "@waymark/shared/queue/scan-queue.ts";

interface AnnouncerDependencies {
  queue: ScanQueue;
  logger: Logger;
  tracing: Tracing | undefined;
}

/**
 * Announces accepted runs without making their requests wait. What the queue misses is no loss: the run is in the
 * database, and the workers' reconciler announces it again.
 */
export function createAnnouncer(
  { queue, logger, tracing }: AnnouncerDependencies,
  { onFailed }: { onFailed: () => void },
) {
  const underWay = new Set<Promise<void>>();

  async function announce(job: ScanJob, requestId: string): Promise<void> {
    const span = tracing?.start("announce scan run", {
      kind: "producer",
      attributes: { "waymark.scan_run_id": job.scanRunId },
    });
    try {
      await queue.announce(job);
    } catch (error) {
      const reason = toError(error).message;
      const { scanRunId } = job;
      logger.warn({ reason, reqId: requestId, scanRunId }, "scan run could not be announced to the queue");
      span?.fail(reason);
      onFailed();
    }
    span?.end();
  }

  return {
    /** Returns at once. `requestId` is that of the request which brought the run, for the log. */
    announce: (job: ScanJob, requestId: string): void => {
      const announcement = announce(job, requestId).finally(() => underWay.delete(announcement));
      underWay.add(announcement);
    },
    /** Resolves when nothing is under way. Each announcement has a time limit of its own. */
    settled: async (): Promise<void> => {
      await Promise.all(underWay);
    },
  };
}
