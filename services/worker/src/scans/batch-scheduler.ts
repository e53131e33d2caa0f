import { setTimeout as sleep } from "node:timers/promises";
import { toError } from "@waymark/shared/lib/to-error.ts";

/** From one claim to the next, after a batch that could have held more: small runs then share a transaction. */
const LINGER_MS = 100;
/** A wake-up waits so long for a runner to finish its batch. Then another runner starts. */
const LATE_START_MS = 200;
/** What a poll finds so long after the last wake-up was not announced: the queue delivers within milliseconds. */
const UNANNOUNCED_AFTER_MS = 1_000;

export interface BatchScheduler {
  /**
   * Has whatever waits by now persisted. Resolves when the runner that this starts is done, at once where a running one
   * will claim it.
   */
  wake(): Promise<void>;
  /** The same without an announcement: for runs that the queue did not tell of. */
  poll(): void;
  /** Takes nothing more and resolves when all runners are done. */
  close(): Promise<void>;
}

/**
 * Runs batches one after the other until nothing is left, on as few runners as possible. What comes while a runner
 * persists a batch, and within `lingerMs` of its start unless it was full, makes the next one: many small runs then cost
 * one transaction. The first batch starts at once. Another runner starts when a batch is full, which says that more is
 * waiting, or when a batch takes long.
 *
 * @param runBatch returns how many runs it claimed; it calls `onFull` as soon as it knows that its batch is full
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

  /** Cut short by `close`. */
  async function linger(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  /** Has a runner claim once more, or another one start. */
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
