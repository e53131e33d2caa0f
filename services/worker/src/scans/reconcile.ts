import type { HotPool } from "@waymark/shared/db/pool.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import type { ScanQueue } from "@waymark/shared/queue/scan-queue.ts";
import { takeUnannouncedRuns } from "@waymark/shared/scans/persist/queries.ts";

const RUNS_PER_SWEEP_MAX = 1_000;

/**
 * Announces to the queue again what has been due for too long: runs whose announcement was lost, whose worker
 * died, or whose pause between attempts is over. Safe in every worker at once.
 *
 * @returns how many runs were found, and how many of them the queue took
 */
export async function reconcile(
  context: { pool: HotPool; queue: ScanQueue; logger: Logger },
  { olderThanMs }: { olderThanMs: number },
): Promise<{ found: number; announced: number }> {
  const runs = await takeUnannouncedRuns(context.pool, { olderThanMs, runsMax: RUNS_PER_SWEEP_MAX });
  // Marked and committed before anything is published: no transaction stays open while the queue is slow. What
  // can't be published now is taken again after the same time.
  const results = await Promise.allSettled(
    runs.map(({ organizationId, scanRunId, publishCount }) =>
      context.queue.announce({ organizationId, scanRunId }, publishCount),
    ),
  );
  const announced = results.filter((result) => result.status === "fulfilled").length;
  const found = runs.length;
  if (found > 0) context.logger.info({ found, announced }, "unfinished scan runs announced");
  return { found, announced };
}
