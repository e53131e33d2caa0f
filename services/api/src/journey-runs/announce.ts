import { toError } from "@waymark/shared/lib/to-error.ts";
import type { Tracing } from "@waymark/server/observability/tracing.ts";
import type { JourneyJob, JourneyQueue } from "@waymark/server/queue/journey-queue.ts";

/** Wakes a worker up for a run, and returns at once. A run that is not announced is found by the workers' polls. */
export function createRunAnnouncer(
  { queue, tracing }: { queue: JourneyQueue; tracing: Tracing | undefined },
  { onFailed }: { onFailed: () => void },
): (job: JourneyJob) => void {
  /** A job that is announced again needs another number, or an earlier one of its run would swallow it. */
  let announcements = 0;
  return (job) => {
    const span = tracing?.start("announce journey run", {
      kind: "producer",
      attributes: { "waymark.journey_run_id": job.runId },
    });
    queue
      .announce(job, announcements++)
      .catch((error: unknown) => {
        span?.fail(toError(error).message);
        onFailed();
      })
      .finally(() => span?.end());
  };
}
