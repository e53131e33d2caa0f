import { setTimeout as sleep } from "node:timers/promises";
import { toError } from "@waymark/shared/lib/to-error.ts";

/**
 * While scans keep coming, what they bring gathers for so long before it is persisted. Many small runs then share a
 * transaction, and a burst is accepted by a database that does little else.
 */
const GATHER_MS = 700;
/** After so long without a wake-up no more scans are coming. The api sends one every 20 ms while they do. */
const QUIET_MS = 80;
const LOOK_MS = 10;
/** After so long a wake-up does not wait any more for a lane to end the batch it is at. */
const PATIENCE_MS = 100;

export interface Lanes {
  /**
   * Has whatever waits by now persisted. Resolves when the lane that this wakes is done, at once where another lane
   * will see to it.
   */
  wake(): Promise<void>;
  /** Takes nothing more and resolves when all lanes are done. */
  close(): Promise<void>;
}

/**
 * Runs batches one after the other until nothing is left, on as few lanes as will do. The first batch after a pause
 * begins at once; what comes after it gathers until no more comes, or for `gatherMs`, and then all that waits is
 * persisted. Another lane joins when a batch was full, which says that more is waiting, or when a batch takes long.
 *
 * @param runBatch returns how many runs it claimed; it calls `onFull` as soon as it knows that its batch is full
 * @param options `onError` hears of failures of lanes that no wake-up waits for
 */
export function createLanes(
  runBatch: (onFull: () => void) => Promise<number>,
  options: { lanesMax: number; gatherMs?: number; onError: (error: Error) => void },
): Lanes {
  const { lanesMax, gatherMs = GATHER_MS, onError } = options;
  const lanes = new Set<Promise<void>>();
  let laneCount = 0;
  const closing = new AbortController();
  let isWanted = false;
  let wokenAt = -Infinity;
  let gathersUntil = -Infinity;
  let impatience: NodeJS.Timeout | undefined;
  const hear = (error: unknown) => onError(toError(error));

  function startLane({ atOnce }: { atOnce: boolean }): Promise<void> {
    if (laneCount >= lanesMax || closing.signal.aborted) return Promise.resolve();
    laneCount++;
    const lane = runLane(atOnce).finally(() => {
      laneCount--;
      lanes.delete(lane);
    });
    lanes.add(lane);
    return lane;
  }

  async function runLane(atOnce: boolean): Promise<void> {
    if (atOnce) gathersUntil = performance.now() + gatherMs;
    else await gathered();
    while (!closing.signal.aborted) {
      isWanted = false;
      clearTimeout(impatience);
      impatience = undefined;
      let isFull = false;
      const claimed = await runBatch(() => {
        isFull = true;
        void startLane({ atOnce: false }).catch(hear);
      });
      if (claimed === 0 && !isWanted) return;
      if (!isFull) gathersUntil = performance.now() + gatherMs;
      await gathered();
    }
  }

  const isQuiet = () => performance.now() - wokenAt >= QUIET_MS;
  const isGathering = () => performance.now() < gathersUntil && !isQuiet();

  /** Cut short by `close`. */
  async function gathered(): Promise<void> {
    while (isGathering() && !closing.signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    async wake() {
      const afterPause = isQuiet();
      wokenAt = performance.now();
      if (laneCount === 0) return startLane({ atOnce: afterPause });
      isWanted = true;
      impatience ??= setTimeout(() => {
        impatience = undefined;
        if (isWanted) startLane({ atOnce: false }).catch(hear);
      }, PATIENCE_MS);
    },
    async close() {
      closing.abort();
      clearTimeout(impatience);
      await Promise.allSettled(lanes);
    },
  };
}
