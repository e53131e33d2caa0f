import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { createBatchScheduler } from "./batch-scheduler.ts";

/** Batches that take the waiting runs, at most `batchMax` at a time, and end on demand. */
function waitingRuns({ batchMax }: { batchMax: number }) {
  const state = { waiting: 0, batches: [] as number[], underWay: 0, mostUnderWay: 0 };
  const gates: (() => void)[] = [];
  return {
    state,
    runBatch: async (onFull: () => void): Promise<number> => {
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
    /** Ends all running batches, and lets the next ones start. */
    endBatches: async (): Promise<void> => {
      for (const open of gates.splice(0)) open();
      await sleep(1);
    },
  };
}

function fail(error: unknown): never {
  throw new Error("a runner failed", { cause: error });
}

it("persists runs that arrive during a batch in the next one", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 4, lingerMs: 0, onError: fail });
  state.waiting++;
  const first = scheduler.wake();
  for (let n = 0; n < 10; n++) {
    state.waiting++;
    await scheduler.wake();
  }
  await endBatches();
  await endBatches();
  await first;
  expect(state.batches).toEqual([1, 10]);
  expect(state.waiting).toBe(0);
});

it("starts a first batch at once, and lingers before the next one", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 1, lingerMs: 3_600_000, onError: fail });
  state.waiting = 1;
  void scheduler.wake();
  expect(state.batches).toEqual([1]);
  await endBatches();
  for (let n = 0; n < 5; n++) {
    await sleep(10);
    state.waiting++;
    await scheduler.wake();
  }
  expect(state.batches).toEqual([1]);
  await scheduler.close();
});

it("claims once more after it has lingered, without a wake-up", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 1, lingerMs: 50, onError: fail });
  state.waiting = 1;
  const done = scheduler.wake();
  const ended = endBatches();
  state.waiting = 5;
  await ended;
  while (state.waiting > 0 || state.underWay > 0) await endBatches();
  await done;
  expect(state.batches).toEqual([1, 5]);
});

it("does not linger after a full batch", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 5 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 1, lingerMs: 3_600_000, onError: fail });
  state.waiting = 15;
  void scheduler.wake();
  for (let n = 0; n < 3; n++) await endBatches();
  expect(state.batches).toEqual([5, 5, 5]);
  await scheduler.close();
});

it("does not linger when it is closed", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 1, lingerMs: 3_600_000, onError: fail });
  state.waiting = 1;
  void scheduler.wake();
  await endBatches();
  await scheduler.close();
  expect(state.batches).toEqual([1]);
});

it("starts more runners while batches are full, up to the maximum", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 5 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 3, lingerMs: 0, onError: fail });
  state.waiting = 100;
  void scheduler.wake();
  while (state.waiting > 0 || state.underWay > 0) await endBatches();
  expect(state.mostUnderWay).toBe(3);
});

it("starts another runner for a wake-up when a batch takes long", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 5 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 2, lingerMs: 0, onError: fail });
  state.waiting = 1;
  void scheduler.wake();
  state.waiting = 1;
  await scheduler.wake();
  await expect.poll(() => state.batches).toEqual([1, 1]);
  expect(state.underWay).toBe(2);
  await endBatches();
  await scheduler.close();
});

it("starts another runner for a poll when a batch takes long", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 50 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 2, lingerMs: 0, onError: fail });
  state.waiting = 1;
  scheduler.poll();
  state.waiting = 1;
  scheduler.poll();
  await expect.poll(() => state.underWay).toBe(2);
  await endBatches();
  await scheduler.close();
});

it("keeps one runner while its batches end in time, regardless of the number of wake-ups", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 5 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 2, lingerMs: 0, onError: fail });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    for (let n = 0; n < 20; n++) {
      state.waiting = 2;
      void scheduler.wake();
      vi.advanceTimersByTime(60);
      state.waiting = 2;
      void scheduler.wake();
      await endBatches();
    }
  } finally {
    vi.useRealTimers();
  }
  expect(state.batches.length).toBeGreaterThan(10);
  expect(state.mostUnderWay).toBe(1);
  while (state.underWay > 0) await endBatches();
});

it("finishes its batch when it is closed, and starts no other", async () => {
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 1 });
  const scheduler = createBatchScheduler(runBatch, { runnersMax: 1, lingerMs: 0, onError: fail });
  state.waiting = 3;
  void scheduler.wake();
  const closed = scheduler.close();
  await endBatches();
  await closed;
  await scheduler.wake();
  expect(state).toMatchObject({ batches: [1], waiting: 2, underWay: 0 });
});

it("reports a failure once: to the wake-up that waits for the runner, otherwise to onError", async () => {
  const onError = vi.fn<(error: Error) => void>();
  const broken = new Error("the database is away");
  let calls = 0;
  const scheduler = createBatchScheduler(
    async (onFull) => {
      calls++;
      if (calls === 1) onFull();
      throw broken;
    },
    { runnersMax: 2, lingerMs: 0, onError },
  );
  await expect(scheduler.wake()).rejects.toBe(broken);
  await scheduler.close();
  expect(onError.mock.calls).toEqual([[broken]]);
});

it("finds runs by polling that no wake-up announced, and reports their number", async () => {
  // No time passes.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { state, runBatch, endBatches } = waitingRuns({ batchMax: 2 });
  const unannounced: number[] = [];
  const onUnannounced = (runs: number) => void unannounced.push(runs);
  const scheduler = createBatchScheduler(runBatch, {
    runnersMax: 1,
    lingerMs: 0,
    onError: fail,
    onUnannounced,
  });
  state.waiting = 3;
  scheduler.poll();
  while (state.waiting > 0 || state.underWay > 0) await endBatches();
  expect(unannounced).toEqual([2, 1]);

  state.waiting = 1;
  const done = scheduler.wake();
  await endBatches();
  await done;
  state.waiting = 1;
  scheduler.poll();
  await endBatches();
  // The wake-up was a moment ago, so runs that arrive now may have been announced to another worker.
  expect(state.batches).toEqual([2, 1, 1, 1]);
  expect(unannounced).toEqual([2, 1]);
  await scheduler.close();
});
