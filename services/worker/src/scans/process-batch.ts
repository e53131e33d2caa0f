import type { HotPool } from "@waymark/shared/db/pool.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import { withOrganizationClient } from "@waymark/shared/db/organization.ts";
import {
  type ClaimedRun,
  claimRuns,
  failRun,
  persistScanRuns,
  releaseRun,
} from "@waymark/shared/scans/persist/queries.ts";
import type { Tracing } from "@waymark/shared/observability/tracing.ts";
import { freeReserved } from "@waymark/shared/lib/free-bytes.ts";
import { tryFor } from "../lib/try-for.ts";
import { ATTEMPTS_MAX, countedAttempts, isExcused, retryDelayMs } from "./attempts.ts";
import type { BatchObserver } from "./batch-observer.ts";
import { keepLease } from "./keep-lease.ts";
import { type PreparedRun, prepareRun, UnusablePayloadError } from "./prepare-run.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { traceBatch } from "./trace-batch.ts";

const RUNS_PER_BATCH_MAX = 50;
/** Decoded bytes of one batch, which may be one large scan or many small ones. More would only be more memory. */
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
/** So long a failed attempt is tried to be handed back; then its lease must run out. */
const RELEASE_MS_MAX = 10_000;

export interface BatchContext {
  pool: HotPool;
  logger: Logger;
  leaseMs: number;
  observer: BatchObserver;
  tracing: Tracing | undefined;
}

/** Claims and persists batches, each of the next organization that has runs due. */
export function createBatchProcessor(context: BatchContext): (onFull: () => void) => Promise<number> {
  let lastOrganizationId = "00000000-0000-0000-0000-000000000000";

  /** @returns how many runs were claimed: 0 when nothing is due */
  return async function processBatch(onFull) {
    const claimed = await claimRuns(context.pool, {
      afterOrganizationId: lastOrganizationId,
      runsMax: RUNS_PER_BATCH_MAX,
      bytesMax: BATCH_BYTES_MAX,
      leaseMs: context.leaseMs,
    });
    const first = claimed[0];
    if (first === undefined) return 0;
    lastOrganizationId = first.organizationId;

    const lease = keepLease(context, claimed);
    try {
      await traceBatch(context, claimed, async (traced) => {
        const prepared = await prepareBatch(traced, claimed);
        if (claimed.length === RUNS_PER_BATCH_MAX || !wouldHoldMore(prepared)) onFull();
        await persistOrSplit(traced, first.organizationId, prepared);
      });
    } finally {
      await lease.end();
    }
    return claimed.length;
  };
}

/** Whether another run as large as the largest would have been claimed with them, had there been one. */
function wouldHoldMore(runs: readonly PreparedRun[]): boolean {
  const bytes = runs.map((run) => run.bodyBytes);
  return bytes.reduce((sum, each) => sum + each, Math.max(0, ...bytes)) <= BATCH_BYTES_MAX;
}

async function prepareBatch(context: BatchContext, claimed: readonly ClaimedRun[]): Promise<PreparedRun[]> {
  const prepared: PreparedRun[] = [];
  for (const run of claimed) {
    if (countedAttempts(run) > ATTEMPTS_MAX) {
      await endAsFailed(context, run, {
        code: "attempts_exhausted",
        message: `The scan could not be persisted in ${ATTEMPTS_MAX} attempts. Submit it again.`,
      });
      continue;
    }
    try {
      prepared.push(await prepareRun(run));
    } catch (error) {
      if (!(error instanceof UnusablePayloadError)) throw error;
      context.logger.error({ err: error, scanRunId: run.scanRunId }, "scan payload is unusable");
      await endAsFailed(context, run, { code: "payload_unusable", message: error.message });
    }
  }
  return prepared;
}

/** A batch that fails is tried run by run, so that one bad run can't hold up the others. */
async function persistOrSplit(
  context: BatchContext,
  organizationId: string,
  runs: readonly PreparedRun[],
): Promise<void> {
  const startedAt = performance.now();
  const rowTypes = runs[0]?.claimed.rowTypes;
  if (rowTypes === undefined) return;
  try {
    const { completed, rows } = await persistScanRuns(context.pool, { organizationId, rowTypes, runs });
    // The findings lie in the same memory.
    for (const { snapshot } of runs) freeReserved(snapshot.endpoints.bytes);
    context.observer.persisted({ completed, rows, seconds: (performance.now() - startedAt) / 1000 });
    context.logger.info(
      { organizationId, completed, rows, scanRunIds: runs.map((run) => run.claimed.scanRunId) },
      "scan runs persisted",
    );
  } catch (error) {
    if (runs.length > 1) {
      for (const run of runs) await persistOrSplit(context, organizationId, [run]);
      return;
    }
    for (const run of runs) await retryLater(context, run.claimed, toError(error));
  }
}

async function retryLater(context: BatchContext, run: ClaimedRun, error: Error): Promise<void> {
  const { scanRunId, attempt } = run;
  context.logger.warn({ err: error, scanRunId, attempt }, "scan run could not be persisted");
  const excused = isExcused(error, run);
  if (!excused && countedAttempts(run) >= ATTEMPTS_MAX) {
    await endAsFailed(context, run, {
      code: "persistence_failed",
      message: `The scan could not be persisted in ${ATTEMPTS_MAX} attempts. Submit it again; the log has the cause.`,
    });
    return;
  }
  const delayMs = retryDelayMs(run, { excused });
  const release = () =>
    withOrganizationClient(context.pool, run.organizationId, (client) =>
      releaseRun(client, run, { delayMs, reason: error.message, excused }),
    );
  // A Postgres that restarts is back in a moment: without this the attempt would count.
  await tryFor(release, { limitMs: RELEASE_MS_MAX, pauseMs: 500 });
  context.observer.retried(scanRunId);
}

async function endAsFailed(
  context: BatchContext,
  run: ClaimedRun,
  error: { code: string; message: string },
): Promise<void> {
  await withOrganizationClient(context.pool, run.organizationId, (client) => failRun(client, run, error));
  context.observer.failed(run.scanRunId, error.code);
  context.logger.error({ scanRunId: run.scanRunId, code: error.code }, "scan run failed");
}
