import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import type { TraceSpan, Tracing } from "@waymark/shared/observability/tracing.ts";
import type { ScanJob, ScanQueue } from "@waymark/shared/queue/scan-queue.ts";

interface AnnouncerDependencies {
  queue: ScanQueue;
  logger: Logger;
  tracing: Tracing | undefined;
}

interface Announcement {
  job: ScanJob;
  requestId: string;
  span: TraceSpan | undefined;
}

/** A pause between two announcements, in which runs gather. The first after a pause goes out at once. */
const PAUSE_MS = 20;

/**
 * Announces accepted runs without making their requests wait. What the queue misses is no loss: the run is in the
 * database, where the workers' reconcilers find it.
 *
 * One announcement is under way at a time, and the next is for all runs that came meanwhile: a job wakes a worker up,
 * which then claims whatever waits.
 */
export function createAnnouncer(
  { queue, logger, tracing }: AnnouncerDependencies,
  { onFailed }: { onFailed: () => void },
) {
  let waiting: Announcement[] = [];
  let isSending = false;
  let sent = Promise.resolve();

  async function send(): Promise<void> {
    isSending = true;
    for (;;) {
      const together = waiting;
      waiting = [];
      const last = together.at(-1);
      if (last === undefined) break;
      try {
        await queue.announce(last.job);
      } catch (error) {
        for (const announcement of together) report(announcement, toError(error).message);
      }
      for (const { span } of together) span?.end();
      await sleep(PAUSE_MS);
    }
    isSending = false;
  }

  function report({ job: { scanRunId }, requestId, span }: Announcement, reason: string): void {
    // The queue's own outage is told of once: a line for each scan would be as many as there are scans.
    logger.debug({ reason, reqId: requestId, scanRunId }, "scan run could not be announced to the queue");
    span?.fail(reason);
    onFailed();
  }

  return {
    /** Returns at once. `requestId` is that of the request which brought the run, for the log. */
    announce: (job: ScanJob, requestId: string): void => {
      const span = tracing?.start("announce scan run", {
        kind: "producer",
        attributes: { "waymark.scan_run_id": job.scanRunId },
      });
      waiting.push({ job, requestId, span });
      if (!isSending) sent = send();
    },
    /** Resolves when nothing is under way. Each announcement has a time limit of its own. */
    settled: (): Promise<void> => sent,
  };
}
