import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import type { PgPool } from "@waymark/server/db/pool.ts";
import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";
import { DocumentLimit } from "@waymark/server/journeys/compiler/compiler-child.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import { compareDescriptions } from "@waymark/server/journeys/compiler/compare-descriptions.ts";
import {
  claimComparison,
  type ComparisonOutcome,
  type ComparisonTask,
  type ComparisonWork,
  deferComparison,
  findComparisonWork,
  finishComparison,
  readDescriptionText,
  releaseComparison,
} from "@waymark/server/scans/comparisons/work.queries.ts";
import { repeat } from "../../lib/repeat.ts";
import type { OutdatedComparisons } from "./outdated-comparisons.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
/** A process can be killed for reasons that are not its document's. */
const ATTEMPTS_MAX = 3;
/** The share of the lease after which it is extended. Two extensions may fail before it is lost. */
const EXTEND_AFTER = 1 / 3;

export interface ComparisonObserver {
  /** A comparison was stored. */
  compared: (outcome: "compared" | "too_large" | "failed", seconds: number) => void;
  retried: () => void;
}

interface ComparerParts {
  pool: PgPool;
  logger: Logger;
  /** Reads and compares texts outside of this process. */
  compiler: Compiler;
  observer: ComparisonObserver;
  leaseMs: number;
  /** The pause after the first failed attempt. */
  pauseMs: number;
  /** The version of the rules of the compiler. */
  engine: number;
  /** Requests comparisons that older rules made, when no other is due. */
  outdated: OutdatedComparisons;
}

/** Compares the descriptions of runs with those of the runs before them, one at a time. */
export interface Comparer {
  /** Compares what is due, until nothing is or the comparer is closed. */
  run: () => Promise<void>;
  close: () => void;
}

export function createComparer(parts: ComparerParts): Comparer {
  const closing = new AbortController();
  let afterOrganizationId = NIL_UUID;
  return {
    async run() {
      while (!closing.signal.aborted) {
        const task = await claimComparison(parts.pool, { afterOrganizationId, leaseMs: parts.leaseMs });
        if (task === undefined) {
          if (await parts.outdated.requestSome(closing.signal)) continue;
          return;
        }
        afterOrganizationId = task.organizationId;
        await carryOut(parts, task, closing.signal);
      }
    },
    close: () => closing.abort(),
  };
}

async function carryOut(parts: ComparerParts, task: ComparisonTask, closing: AbortSignal): Promise<void> {
  const { pool, logger, observer, engine } = parts;
  const startedAt = performance.now();
  const inOrganization = <T>(work: Parameters<typeof withOrganizationClient<T>>[2]) =>
    withOrganizationClient(pool, task.organizationId, work);
  const work = await inOrganization((client) => findComparisonWork(client, task, engine));
  if (work === undefined) {
    await inOrganization((client) => finishComparison(client, task, undefined));
    return;
  }
  let outcome: ComparisonOutcome;
  try {
    outcome = await withLease(parts, task, () => compareTexts(parts, { task, work }));
  } catch (error) {
    if (closing.aborted) {
      await inOrganization((client) => releaseComparison(client, task));
      return;
    }
    if (error instanceof Error && isDatabaseUnavailable(error)) throw error;
    const { scanRunId, attempt } = task;
    logger.warn({ err: error, scanRunId, attempt }, "a run's description could not be compared");
    if (attempt < ATTEMPTS_MAX) {
      observer.retried();
      await inOrganization((client) => deferComparison(client, task, parts.pauseMs * attempt));
      return;
    }
    outcome = error instanceof DocumentLimit ? "too_large" : "failed";
  }
  const isStored = await inOrganization((client) =>
    finishComparison(client, task, { work, outcome, engine }),
  );
  if (isStored)
    observer.compared(
      typeof outcome === "object" ? "compared" : outcome,
      (performance.now() - startedAt) / 1000,
    );
}

/** Extends the lease of a comparison while it is under way. */
async function withLease<T>(
  { pool, logger, leaseMs }: ComparerParts,
  task: ComparisonTask,
  work: () => Promise<T>,
): Promise<T> {
  const extend = () =>
    withOrganizationClient(pool, task.organizationId, (client) => deferComparison(client, task, leaseMs));
  const { organizationId, scanRunId } = task;
  const lease = repeat(extend, {
    everyMs: leaseMs * EXTEND_AFTER,
    onError: (err) => logger.warn({ err, organizationId, scanRunId }, "a lease could not be extended"),
  });
  try {
    return await work();
  } finally {
    await lease.stop();
  }
}

/** @throws DocumentLimit if it takes too long or too much memory, or the process is killed */
async function compareTexts(
  { pool, compiler }: ComparerParts,
  { task, work }: { task: ComparisonTask; work: ComparisonWork },
): Promise<ComparisonOutcome> {
  // Claims before this one have ended without a word: the comparison may have ended the worker.
  if (task.attempt > ATTEMPTS_MAX) return "failed";
  const { organizationId } = task;
  return compareDescriptions(compiler, {
    organizationId,
    base: work.base.hash,
    head: work.headHash,
    today: work.today,
    readChunks: (hash) =>
      withOrganizationClient(pool, organizationId, (client) =>
        readDescriptionText(client, { organizationId, hash }),
      ),
  });
}
