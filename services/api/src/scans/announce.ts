import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@waymark/server/lib/logger.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import type { TraceSpan, Tracing } from "@waymark/server/observability/tracing.ts";
import type { ScanJob, ScanQueue } from "@waymark/server/queue/scan-queue.ts";

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

/** The pause between two announcements, which batches runs. The first after a pause is sent immediately. */
const PAUSE_MS = 20;

/**
 * Announces accepted runs to the queue without delaying their requests. If an announcement fails, the workers' reconcilers
 * find the run in the database.
 *
 * One announcement runs at a time, and the next covers all runs accepted meanwhile: a job wakes a worker, which then claims
 * all waiting runs.
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
    // The outage of the queue is logged once. This line would repeat for every scan, so its level is debug.
    logger.debug({ reason, reqId: requestId, scanRunId }, "scan run could not be announced to the queue");
    span?.fail(reason);
    onFailed();
  }

  return {
    /** Returns immediately. `requestId` identifies the request that submitted the run, for the log. */
    announce: (job: ScanJob, requestId: string): void => {
      const span = tracing?.start("announce scan run", {
        kind: "producer",
        attributes: { "waymark.scan_run_id": job.scanRunId },
      });
      waiting.push({ job, requestId, span });
      if (!isSending) sent = send();
    },
    /** Resolves when no announcement is running. Each has its own time limit. */
    settled: (): Promise<void> => sent,
  };
}
