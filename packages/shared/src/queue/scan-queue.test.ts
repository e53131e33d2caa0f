import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import { REDIS_FAULTS } from "../../../../test/faults/support/redis-faults.ts";
import { openScanQueue, openScanWorker } from "./scan-queue.ts";

const JOBS = 50;
const AWAY_MS = 3_000;
/** Three connections, each made anew after ever longer pauses. BullMQ alone asks some thousand times a second. */
const ERRORS_MAX = 60;
const CLOSE_MS_MAX = 5_000;

// Side by side: they wait most of the time, each for a Redis of its own.
describe.concurrent.each(["killed", "blocked", "full", "read-only"] as const)(
  "a Redis that is %s",
  (kind) => {
    it("is not asked without end while jobs wait in it, and its jobs are worked off once it can be used", async ({
      expect,
    }) => {
      await using fault = await REDIS_FAULTS[kind]();
      const backend = { redisUrl: fault.url, databaseUrl: "postgres://127.0.0.1:1/none" };
      const count = { errors: 0, usable: 0, done: 0 };
      const events = { onError: () => count.errors++, onUsable: () => count.usable++ };
      const queue = openScanQueue(backend, events);
      await expect.poll(() => queue.isUsable()).toBe(true);
      const announce = (scanRunId: string) =>
        queue.announce({ organizationId: "an-organization", scanRunId });
      for (let n = 0; n < JOBS; n++) await announce(`before-${n}`);

      await fault.begin();
      const worker = openScanWorker(backend, { concurrency: 4, ...events }, async () => void count.done++);
      await expect(announce("meanwhile")).rejects.toThrow(Error);
      expect(await queue.isUsable()).toBe(false);
      const errorsBefore = count.errors;
      await sleep(AWAY_MS);
      expect(count.errors - errorsBefore).toBeGreaterThan(0);
      expect(count.errors - errorsBefore).toBeLessThan(ERRORS_MAX);
      expect(count.done).toBe(0);

      const usableBefore = count.usable;
      await fault.end();
      // Nobody announces anything: it is noticed all the same.
      await expect.poll(() => count.usable).toBeGreaterThan(usableBefore);
      await expect.poll(() => queue.isUsable()).toBe(true);
      for (let n = 0; n < JOBS; n++) await announce(`after-${n}`);
      // One that was killed has lost the jobs from before.
      await expect.poll(() => count.done).toBeGreaterThanOrEqual(kind === "killed" ? JOBS : 2 * JOBS);
      await Promise.all([worker.close(true), queue.close()]);
    });

    it("prevents neither a queue nor a worker from closing", async ({ expect }) => {
      await using fault = await REDIS_FAULTS[kind]();
      const backend = { redisUrl: fault.url, databaseUrl: "postgres://127.0.0.1:1/none" };
      const events = { onError: () => undefined };
      const queue = openScanQueue(backend, events);
      const worker = openScanWorker(backend, { concurrency: 4, ...events }, async () => undefined);
      await expect.poll(() => queue.isUsable()).toBe(true);
      await fault.begin();
      await sleep(500);
      const start = performance.now();
      await Promise.all([worker.close(true), queue.close()]);
      expect(performance.now() - start).toBeLessThan(CLOSE_MS_MAX);
    });
  },
);
