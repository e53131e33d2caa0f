import { setTimeout as sleep } from "node:timers/promises";
import { toError } from "@waymark/shared/lib/to-error.ts";

/** The minimum time between two claims after a batch that wasn't full, so that small runs share a transaction. */
const LINGER_MS = 100;
/** How long a wake-up waits for a runner to finish its batch. Then another runner starts. */
const LATE_START_MS = 200;
/** Runs that a poll finds this long after the last wake-up were not announced: the queue delivers within milliseconds. */
const UNANNOUNCED_AFTER_MS = 1_000;

export interface BatchScheduler {
  /**
   * Persists all runs waiting now. Resolves when the runner that it starts has finished, or immediately if a running one
   * will claim them.
   */
  wake(): Promise<void>;
  /** Like `wakeUp`, without an announcement, for runs that the queue missed. */
  poll(): void;
  /** Starts no further batches, and resolves when all runners have finished. */
  close(): Promise<void>;
}

/**
 * Runs batches one after another until nothing is left, on as few runners as possible. The next batch contains the runs
 * that arrive while a runner persists a batch and, if that wasn't full, within `lingerMs` of its start, so that many small
 * runs share a transaction. The first batch starts immediately. Another runner starts if a batch is full, which means that
 * more runs are waiting, or if a batch takes long.
 *
 * @param runBatch returns how many runs it claimed; calls `onFull` as soon as it knows that its batch is full
 * @param options `onError` receives failures of runners that no wake-up waits for, `onUnannounced` the number of runs
 *   that polls found
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over the state of the scheduler
export function createBatchScheduler(
  runBatch: (onFull: () => void) => Promise<number>,
  options: {
    runnersMax: number;
    lingerMs?: number;
    onError: (error: Error) => void;
    onUnannounced?: (runs: number) => void;
  },
): BatchScheduler {
  const { runnersMax, lingerMs = LINGER_MS, onUnannounced } = options;
  const runners = new Set<Promise<void>>();
  let runnerCount = 0;
  const closing = new AbortController();
  let isWanted = false;
  let wokenAt = -Infinity;
  let lateStartTimer: NodeJS.Timeout | undefined;
  const onError = (error: unknown) => options.onError(toError(error));

  function startRunner({ isUnannounced }: { isUnannounced: boolean }): Promise<void> {
    if (runnerCount >= runnersMax || closing.signal.aborted) return Promise.resolve();
    runnerCount++;
    const runner = runBatches(isUnannounced).finally(() => {
      runnerCount--;
      runners.delete(runner);
    });
    runners.add(runner);
    return runner;
  }

  async function runBatches(isUnannounced: boolean): Promise<void> {
    const runnerStartedAt = performance.now();
    while (!closing.signal.aborted) {
      isWanted = false;
      clearTimeout(lateStartTimer);
      lateStartTimer = undefined;
      const batchStartedAt = performance.now();
      let isFull = false;
      const claimed = await runBatch(() => {
        isFull = true;
        startRunner({ isUnannounced }).catch(onError);
      });
      if (isUnannounced && claimed > 0 && wokenAt < runnerStartedAt) onUnannounced?.(claimed);
      if (claimed === 0 && !isWanted) return;
      if (!isFull) await linger(batchStartedAt + lingerMs - performance.now());
    }
  }

  /** Interrupted by `close`. */
  async function linger(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  /** Makes a runner claim once more, or starts another one. */
  function want(): void {
    isWanted = true;
    lateStartTimer ??= setTimeout(() => {
      lateStartTimer = undefined;
      if (isWanted) startRunner({ isUnannounced: false }).catch(onError);
    }, LATE_START_MS);
  }

  return {
    async wake() {
      wokenAt = performance.now();
      if (runnerCount === 0) return startRunner({ isUnannounced: false });
      want();
    },
    poll() {
      if (runnerCount > 0) return want();
      startRunner({ isUnannounced: performance.now() - wokenAt > UNANNOUNCED_AFTER_MS }).catch(onError);
    },
    async close() {
      closing.abort();
      clearTimeout(lateStartTimer);
      await Promise.allSettled(runners);
    },
  };
}
