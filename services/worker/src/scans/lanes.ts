import { setTimeout as sleep } from "node:timers/promises";
import { toError } from "@waymark/shared/lib/to-error.ts";

/** From one claim to the next, after a batch that could have held more: small runs then share a transaction. */
const GATHER_MS = 100;
/**
 * The same after the first batch of a burst, while wake-ups keep coming: a burst is accepted by a database that does
 * little else, and most of it then shares a few transactions. Under a load that goes on this happens once.
 */
const BURST_GATHER_MS = 600;
/** After so long without a wake-up, and nothing left to do, the next one begins a burst. */
const BURST_AFTER_MS = 1_000;
/** After so long without a wake-up a burst is over. The api sends one every 20 ms while scans come. */
const QUIET_MS = 80;
const LOOK_MS = 10;
/** After so long a wake-up does not wait any more for a lane to end the batch it is at. */
const PATIENCE_MS = 200;
/** What a poll finds so long after the last wake-up was not announced: the queue delivers within milliseconds. */
const UNANNOUNCED_AFTER_MS = 1_000;

export interface Lanes {
  /**
   * Has whatever waits by now persisted. Resolves when the lane that this wakes is done, at once where another lane
   * will see to it.
   */
  wake(): Promise<void>;
  /**
   * The same without an announcement: for runs that the queue did not tell of. Never holds up, nor gathers, what was
   * announced.
   */
  poll(): void;
  /** Takes nothing more and resolves when all lanes are done. */
  close(): Promise<void>;
}

interface LaneStart {
  /** Without waiting for a burst to gather. */
  atOnce: boolean;
  /** Begun by a poll, for runs that no wake-up told of. */
  isUnannounced?: boolean;
}

/**
 * Runs batches one after the other until nothing is left, on as few lanes as will do. What comes while a lane persists
 * a batch, and a little longer unless that was full, makes the next: many small runs then cost one transaction. The
 * first after a pause is not held up; after a longer one, what follows it in a burst gathers once for `burstGatherMs`, or
 * until wake-ups stop. Another lane joins when a batch was full, which says that more is waiting, or when a batch takes
 * long.
 *
 * @param runBatch returns how many runs it claimed; it calls `onFull` as soon as it knows that its batch is full
 * @param options `onError` hears of failures of lanes that no wake-up waits for, `onUnannounced` of runs that polls
 *   found, no wake-up having come for them
 */
export function createLanes(
  runBatch: (onFull: () => void) => Promise<number>,
  options: {
    lanesMax: number;
    gatherMs?: number;
    burstGatherMs?: number;
    onError: (error: Error) => void;
    onUnannounced?: (runs: number) => void;
  },
): Lanes {
  const { lanesMax, gatherMs = GATHER_MS, burstGatherMs = BURST_GATHER_MS, onError, onUnannounced } = options;
  const lanes = new Set<Promise<void>>();
  let laneCount = 0;
  const closing = new AbortController();
  let isWanted = false;
  let wokenAt = -Infinity;
  let gathersUntil = -Infinity;
  let impatience: NodeJS.Timeout | undefined;
  const hear = (error: unknown) => onError(toError(error));

  function startLane(start: LaneStart): Promise<void> {
    if (laneCount >= lanesMax || closing.signal.aborted) return Promise.resolve();
    laneCount++;
    const lane = runLane(start).finally(() => {
      laneCount--;
      lanes.delete(lane);
    });
    lanes.add(lane);
    return lane;
  }

  async function runLane({ atOnce, isUnannounced = false }: LaneStart): Promise<void> {
    const laneStartedAt = performance.now();
    if (!atOnce) await gathered();
    while (!closing.signal.aborted) {
      isWanted = false;
      clearTimeout(impatience);
      impatience = undefined;
      const startedAt = performance.now();
      let isFull = false;
      const claimed = await runBatch(() => {
        isFull = true;
        void startLane({ atOnce: false, isUnannounced }).catch(hear);
      });
      if (isUnannounced && claimed > 0 && wokenAt < laneStartedAt) onUnannounced?.(claimed);
      if (claimed === 0 && !isWanted) return;
      if (!isFull) await gather(startedAt + gatherMs - performance.now());
      await gathered();
    }
  }

  const sinceWoken = () => performance.now() - wokenAt;
  const isGathering = () => performance.now() < Math.min(gathersUntil, wokenAt + QUIET_MS);

  /** Resolves when the beginning of a burst has gathered. */
  async function gathered(): Promise<void> {
    while (isGathering() && !closing.signal.aborted) await gather(LOOK_MS);
  }

  function growImpatient(): void {
    impatience = setTimeout(() => {
      impatience = undefined;
      if (!isWanted) return;
      // The lane that lets runs gather sees to them next.
      if (isGathering()) growImpatient();
      else startLane({ atOnce: true }).catch(hear);
    }, PATIENCE_MS);
  }

  /** Cut short by `close`. */
  async function gather(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  function want(): void {
    isWanted = true;
    if (impatience === undefined) growImpatient();
  }

  return {
    poll() {
      if (laneCount > 0) want();
      else startLane({ atOnce: true, isUnannounced: sinceWoken() > UNANNOUNCED_AFTER_MS }).catch(hear);
    },
    async wake() {
      const now = performance.now();
      const quietMs = now - wokenAt;
      wokenAt = now;
      if (laneCount === 0) {
        if (quietMs >= BURST_AFTER_MS) gathersUntil = now + burstGatherMs;
        return startLane({ atOnce: quietMs >= QUIET_MS });
      }
      want();
    },
    async close() {
      closing.abort();
      clearTimeout(impatience);
      await Promise.allSettled(lanes);
    },
  };
}
