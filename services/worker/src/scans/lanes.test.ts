import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { createLanes, type Lanes } from "./lanes.ts";

const AT_ONCE = { gatherMs: 0, burstGatherMs: 0 };

/** Batches that take what waits, at most `batchMax` at a time, and end when they are told to. */
function waitingRuns({ batchMax }: { batchMax: number }) {
  const state = { waiting: 0, claims: 0, batches: [] as number[], underWay: 0, mostUnderWay: 0 };
  const gates: (() => void)[] = [];
  return {
    state,
    runBatch: async (onFull: () => void): Promise<number> => {
      state.claims++;
      const claimed = Math.min(state.waiting, batchMax);
      state.waiting -= claimed;
      if (claimed === 0) return 0;
      state.batches.push(claimed);
      if (claimed === batchMax) onFull();
      state.underWay++;
      state.mostUnderWay = Math.max(state.mostUnderWay, state.underWay);
      await new Promise<void>((resolve) => gates.push(resolve));
      state.underWay--;
      return claimed;
    },
    /** Lets all batches under way end, and those that follow them begin. */
    endBatches: async (): Promise<void> => {
      for (const open of gates.splice(0)) open();
      await sleep(1);
    },
  };
}

function fail(error: unknown): never {
  throw new Error("a lane failed", { cause: error });
}

it("gathers what comes during a batch into the next one", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const lanes = createLanes(runBatch, { lanesMax: 4, ...AT_ONCE, onError: fail });
  state.waiting++;
  const first = lanes.wake();
  for (let n = 0; n < 10; n++) {
    state.waiting++;
    await lanes.wake();
  }
  await endBatches();
  await endBatches();
  await first;
  expect(state.batches).toEqual([1, 10]);
  expect(state.waiting).toBe(0);
});

it("lets a little gather after a batch that was not full, and starts a first one at once", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const lanes = createLanes(runBatch, { lanesMax: 1, gatherMs: 1_000, burstGatherMs: 0, onError: fail });
  state.waiting = 1;
  const done = lanes.wake();
  await endBatches();
  for (let n = 0; n < 5; n++) {
    await sleep(10);
    state.waiting++;
    await lanes.wake();
  }
  expect(state.batches).toEqual([1]);
  while (state.waiting > 0 || state.underWay > 0) await endBatches();
  await done;
  expect(state.batches).toEqual([1, 5]);
});

/** Wakes it up every 10 ms, each time for one more run. */
async function keepComing(
  lanes: Lanes,
  { state, endBatches }: ReturnType<typeof waitingRuns>,
  { forMs }: { forMs: number },
): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    state.waiting++;
    void lanes.wake().catch(fail);
    await sleep(9);
    await endBatches();
  }
}

it("persists the first of a burst at once, and lets what comes after it gather until no more comes", async () => {
  const runs = waitingRuns({ batchMax: 50 });
  const lanes = createLanes(runs.runBatch, {
    lanesMax: 2,
    gatherMs: 0,
    burstGatherMs: 3_600_000,
    onError: fail,
  });
  await keepComing(lanes, runs, { forMs: 300 });
  const { state } = runs;
  expect(state.batches).toEqual([1]);
  const gathered = state.waiting;
  while (state.waiting > 0 || state.underWay > 0) await runs.endBatches();
  expect(state.batches).toEqual([1, gathered]);
  await lanes.close();
});

it("has one lane claim what gathered, however many there may be", async () => {
  const runs = waitingRuns({ batchMax: 500 });
  const lanes = createLanes(runs.runBatch, {
    lanesMax: 8,
    gatherMs: 0,
    burstGatherMs: 3_600_000,
    onError: fail,
  });
  await keepComing(lanes, runs, { forMs: 500 });
  while (runs.state.waiting > 0 || runs.state.underWay > 0) await runs.endBatches();
  await lanes.close();
  // The first, what gathered, and that nothing is left.
  expect(runs.state.claims).toBe(3);
});

it("lets wake-ups pass by a first batch that takes long, when no more come", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const lanes = createLanes(runBatch, {
    lanesMax: 2,
    gatherMs: 0,
    burstGatherMs: 3_600_000,
    onError: fail,
  });
  state.waiting = 1;
  void lanes.wake();
  state.waiting = 2;
  await lanes.wake();
  await sleep(70);
  await lanes.wake();
  await expect.poll(() => state.batches, { timeout: 5_000 }).toEqual([1, 2]);
  expect(state.underWay).toBe(2);
  await endBatches();
  await lanes.close();
});

it("gathers once in a burst, however long that goes on", async () => {
  const runs = waitingRuns({ batchMax: 500 });
  const lanes = createLanes(runs.runBatch, { lanesMax: 1, gatherMs: 0, burstGatherMs: 300, onError: fail });
  await keepComing(lanes, runs, { forMs: 1_000 });
  const [first, second = 0, ...others] = runs.state.batches;
  expect(first).toBe(1);
  expect(second).toBeGreaterThan(10);
  expect(others.length).toBeGreaterThan(20);
  expect(Math.max(...others)).toBeLessThan(second);
  while (runs.state.waiting > 0 || runs.state.underWay > 0) await runs.endBatches();
  await lanes.close();
});

it("persists at once what comes after a pause", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const lanes = createLanes(runBatch, {
    lanesMax: 1,
    gatherMs: 0,
    burstGatherMs: 3_600_000,
    onError: fail,
  });
  for (let n = 1; n <= 3; n++) {
    state.waiting = 1;
    const done = lanes.wake();
    expect(state.batches).toHaveLength(n);
    await endBatches();
    await done;
    await sleep(100);
  }
  await lanes.close();
});

it("does not wait for more to gather when it is closed", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const lanes = createLanes(runBatch, { lanesMax: 1, gatherMs: 3_600_000, burstGatherMs: 0, onError: fail });
  state.waiting = 1;
  void lanes.wake();
  await endBatches();
  await lanes.close();
  expect(state.batches).toEqual([1]);
});

it("works on several lanes while batches are full, and on no more than it may", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 5 });
  const lanes = createLanes(runBatch, { lanesMax: 3, ...AT_ONCE, onError: fail });
  state.waiting = 100;
  void lanes.wake();
  while (state.waiting > 0 || state.underWay > 0) await endBatches();
  expect(state.mostUnderWay).toBe(3);
});

it("lets a wake-up pass by a batch that takes long", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 5 });
  const lanes = createLanes(runBatch, { lanesMax: 2, ...AT_ONCE, onError: fail });
  state.waiting = 1;
  void lanes.wake();
  state.waiting = 1;
  await lanes.wake();
  while (state.batches.length < 2) await sleep(10);
  expect(state.underWay).toBe(2);
  await endBatches();
});

it("keeps to one lane as long as its batches end in time, however long wake-ups go on", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 5 });
  const lanes = createLanes(runBatch, { lanesMax: 2, ...AT_ONCE, onError: fail });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    for (let n = 0; n < 20; n++) {
      state.waiting = 2;
      void lanes.wake();
      vi.advanceTimersByTime(60);
      state.waiting = 2;
      void lanes.wake();
      await endBatches();
    }
  } finally {
    vi.useRealTimers();
  }
  expect(state.batches.length).toBeGreaterThan(10);
  expect(state.mostUnderWay).toBe(1);
  while (state.underWay > 0) await endBatches();
});

it("finishes its batch when it is closed, and takes no other", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 1 });
  const lanes = createLanes(runBatch, { lanesMax: 1, ...AT_ONCE, onError: fail });
  state.waiting = 3;
  void lanes.wake();
  const closed = lanes.close();
  await endBatches();
  await closed;
  await lanes.wake();
  expect(state).toMatchObject({ batches: [1], waiting: 2, underWay: 0 });
});

it("tells of a failure once: the wake-up that waits for the lane, or else the log", async () => {
  const onError = vi.fn<(error: Error) => void>();
  const broken = new Error("the database is away");
  let calls = 0;
  const lanes = createLanes(
    async (onFull) => {
      calls++;
      if (calls === 1) onFull();
      throw broken;
    },
    { lanesMax: 2, ...AT_ONCE, onError },
  );
  await expect(lanes.wake()).rejects.toBe(broken);
  await lanes.close();
  expect(onError.mock.calls).toEqual([[broken]]);
});

it("finds by a poll what no wake-up told of, and tells how much that was", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 2 });
  const unannounced: number[] = [];
  const onUnannounced = (runs: number) => void unannounced.push(runs);
  const lanes = createLanes(runBatch, { lanesMax: 1, ...AT_ONCE, onError: fail, onUnannounced });
  state.waiting = 3;
  lanes.poll();
  while (state.waiting > 0 || state.underWay > 0) await endBatches();
  expect(unannounced).toEqual([2, 1]);

  state.waiting = 1;
  const done = lanes.wake();
  await endBatches();
  await done;
  state.waiting = 1;
  lanes.poll();
  await endBatches();
  // The wake-up was a moment ago: what comes now may have been announced to another worker.
  expect(state.batches).toEqual([2, 1, 1, 1]);
  expect(unannounced).toEqual([2, 1]);
  await lanes.close();
});

it("polls past a batch that takes long, and holds up no burst that gathers", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const lanes = createLanes(runBatch, { lanesMax: 2, ...AT_ONCE, onError: fail });
  state.waiting = 1;
  lanes.poll();
  state.waiting = 1;
  lanes.poll();
  await expect.poll(() => state.underWay).toBe(2);
  await endBatches();
  await lanes.close();

  const gathering = waitingRuns({ batchMax: 50 });
  const burst = createLanes(gathering.runBatch, {
    lanesMax: 2,
    gatherMs: 0,
    burstGatherMs: 3_600_000,
    onError: fail,
  });
  const coming = keepComing(burst, gathering, { forMs: 400 });
  const polls = setInterval(() => burst.poll(), 20);
  await coming;
  expect(gathering.state.batches).toEqual([1]);
  clearInterval(polls);
  while (gathering.state.waiting > 0 || gathering.state.underWay > 0) await gathering.endBatches();
  await burst.close();
});
