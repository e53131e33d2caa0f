import { availableParallelism } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { COMPILE_CACHE } from "@waymark/test-support/run-node.ts";
import { createRunnerPool, type RunnerPool } from "./runner-pool.ts";

let pool: RunnerPool;
const start = (processesMax: number) => (pool = createRunnerPool({ env: COMPILE_CACHE, processesMax }));
afterEach(() => pool.close());

/** Until the pool has noticed who has ended, and has started what it starts after a run began. */
async function untilProcesses(expected: ReturnType<RunnerPool["processes"]>): Promise<void> {
  await expect.poll(() => pool.processes(), { timeout: 60_000 }).toEqual(expected);
}

describe("the processes of runs", { timeout: 180_000 }, () => {
  it("carry out runs of one organization, one after another", async () => {
    start(10);
    const first = await pool.acquire("a");
    const meanwhile = await pool.acquire("a");
    expect(meanwhile).not.toBe(first);
    pool.release(first, { isReusable: true });
    expect(await pool.acquire("b")).not.toBe(first);
    expect(await pool.acquire("a")).toBe(first);
    // Three that are busy, and one that is ready for whoever comes.
    await untilProcesses({ busy: 3, idle: 1 });
  });

  it("start for half of the processors at a time", async () => {
    start(10);
    const acquired = Array.from({ length: 4 }, () => pool.acquire("a"));
    const { busy, idle } = pool.processes();
    expect(busy + idle).toBeLessThanOrEqual(Math.max(1, Math.floor(availableParallelism() / 2)));
    expect(new Set(await Promise.all(acquired)).size).toBe(4);
  });

  it("carry out no other run when they are not reusable, or have ended", async () => {
    start(10);
    const spent = await pool.acquire("a");
    pool.release(spent, { isReusable: false });
    const killed = await pool.acquire("a");
    expect(killed).not.toBe(spent);
    const exited = new Promise<void>((resolve) => {
      killed.onExit = resolve;
    });
    killed.kill();
    await exited;
    pool.release(killed, { isReusable: true });
    expect(await pool.acquire("a")).not.toBe(killed);
    await untilProcesses({ busy: 1, idle: 1 });
  });

  it("are as many as may be: those that have been idle for the longest time make room", async () => {
    start(3);
    const runners = await Promise.all([pool.acquire("a"), pool.acquire("b")]);
    await untilProcesses({ busy: 2, idle: 1 });
    for (const runner of runners) pool.release(runner, { isReusable: true });
    // It is ended when one that belongs to nobody takes its place, soon after the next run began.
    const longestIdleEnded = new Promise<void>((resolve) => {
      runners[0].onExit = resolve;
    });
    const third = await pool.acquire("c");
    await longestIdleEnded;
    pool.release(third, { isReusable: true });
    expect(await pool.acquire("b")).toBe(runners[1]);
    expect(await pool.acquire("a")).not.toBe(runners[0]);
  });
});
