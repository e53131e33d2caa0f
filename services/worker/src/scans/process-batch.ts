import type { PgPool } from "@waymark/server/db/pool.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import {
  type ClaimedRun,
  claimRuns,
  failRun,
  isContentIncomplete,
  persistScanRuns,
  releaseRun,
  type RunToPersist,
} from "@waymark/server/scans/persist/queries.ts";
import type { Tracing } from "@waymark/server/observability/tracing.ts";
import { decompressChunks, unpackChunks } from "@waymark/server/scans/content/packed-chunks.ts";
import { retryFor } from "../lib/retry-for.ts";
import { ATTEMPTS_MAX, countedAttempts, isExcused, retryDelayMs } from "./attempts.ts";
import type { BatchObserver } from "./batch-observer.ts";
import { keepLease } from "./keep-lease.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { traceBatch } from "./trace-batch.ts";

const RUNS_PER_BATCH_MAX = 50;
/** The maximum of decompressed bytes in one batch, to limit memory. A batch may be one large scan or many small ones. */
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
/** How long it tries to release a run after a failed attempt; after that, the lease must expire. */
const RELEASE_MS_MAX = 10_000;

/** Failures that a retry can't fix. Readers of the run see the message. */
const UNUSABLE = {
  damaged: "The stored scan is damaged and can't be read. Submit the scan again.",
  incomplete: "Rows of the stored scan are missing. Submit the scan again.",
};

interface UnpackedRun extends RunToPersist {
  claimed: ClaimedRun;
  /** The decompressed chunks. */
  bytes: number;
}

export interface BatchContext {
  pool: PgPool;
  logger: Logger;
  leaseMs: number;
  observer: BatchObserver;
  tracing: Tracing | undefined;
}

/** Claims and persists batches, each for the next organization with due runs. */
export function createBatchProcessor(context: BatchContext): (onFull: () => void) => Promise<number> {
  let lastOrganizationId = "00000000-0000-0000-0000-000000000000";

  /** @returns how many runs were claimed; 0 if none is due */
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
        const runs = await unpackBatch(traced, claimed);
        if (claimed.length === RUNS_PER_BATCH_MAX || !wouldHoldMore(runs)) onFull();
        await persistOrSplit(traced, first.organizationId, runs);
      });
    } finally {
      await lease.end();
    }
    return claimed.length;
  };
}

/** Whether the batch is full: there was no space for another run as large as the largest. */
function wouldHoldMore(runs: readonly UnpackedRun[]): boolean {
  const bytes = runs.map((run) => run.bytes);
  return bytes.reduce((sum, each) => sum + each, Math.max(0, ...bytes)) <= BATCH_BYTES_MAX;
}

/** Marks runs as failed that no attempt can persist. */
async function unpackBatch(context: BatchContext, claimed: readonly ClaimedRun[]): Promise<UnpackedRun[]> {
  const unpacked: UnpackedRun[] = [];
  for (const run of claimed) {
    if (countedAttempts(run) > ATTEMPTS_MAX) {
      await endAsFailed(context, run, {
        code: "attempts_exhausted",
        message: `The scan could not be persisted in ${ATTEMPTS_MAX} attempts. Submit it again.`,
      });
      continue;
    }
    try {
      unpacked.push(unpack(run));
    } catch (error) {
      await endAsUnusable(context, run, { error, message: UNUSABLE.damaged });
    }
  }
  return unpacked;
}

function unpack(claimed: ClaimedRun): UnpackedRun {
  const packed = decompressChunks(claimed.items);
  const { scanRunId, attempt } = claimed;
  return { claimed, scanRunId, attempt, bytes: packed.byteLength, ...unpackChunks(packed) };
}

/** If a batch fails, persists its runs individually, so that one bad run can't block the others. */
async function persistOrSplit(
  context: BatchContext,
  organizationId: string,
  runs: readonly UnpackedRun[],
): Promise<void> {
  const startedAt = performance.now();
  const rowTypes = runs[0]?.claimed.rowTypes;
  if (rowTypes === undefined) return;
  try {
    const { completed, rows } = await persistScanRuns(context.pool, { organizationId, rowTypes, runs });
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
  if (isContentIncomplete(error)) return endAsUnusable(context, run, { error, message: UNUSABLE.incomplete });
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
  // Retries while Postgres restarts; otherwise the attempt would count.
  await retryFor(release, { limitMs: RELEASE_MS_MAX, pauseMs: 500 });
  context.observer.retried(scanRunId);
}

async function endAsUnusable(
  context: BatchContext,
  run: ClaimedRun,
  { error, message }: { error: unknown; message: string },
): Promise<void> {
  context.logger.error({ err: error, scanRunId: run.scanRunId }, "scan payload is unusable");
  await endAsFailed(context, run, { code: "payload_unusable", message });
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
