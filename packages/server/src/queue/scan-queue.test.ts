import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";
import { REDIS_FAULTS } from "../../../../test/faults/support/redis-faults.ts";
import { openQueues } from "./queues.ts";
import { openScanWorker } from "./scan-queue.ts";

const JOBS = 50;
const AWAY_MS = 3_000;
/** Three connections, each reopened after growing pauses. BullMQ itself would poll thousands of times a second. */
const ERRORS_MAX = 60;

// Concurrent: they mostly wait, each for its own Redis.
describe.concurrent.each(["killed", "blocked", "full", "read-only"] as const)(
  "a Redis that is %s",
  (kind) => {
    it("is not polled in a busy loop while jobs wait in it, and its jobs are processed once it can be used", async ({
      expect,
    }) => {
      await using fault = await REDIS_FAULTS[kind]();
      const backend = { redisUrl: fault.url, databaseUrl: "postgres://127.0.0.1:1/none" };
      const count = { errors: 0, usable: 0, done: 0 };
      const events = { onError: () => count.errors++, onUsable: () => count.usable++ };
      const queues = openQueues(backend, events);
      await expect.poll(() => queues.isUsable()).toBe(true);
      const announce = (scanRunId: string) =>
        queues.scans.announce({ organizationId: "an-organization", scanRunId });
      for (let n = 0; n < JOBS; n++) await announce(`before-${n}`);

      await fault.begin();
      const worker = openScanWorker(backend, { concurrency: 4, ...events }, async () => void count.done++);
      await expect(announce("meanwhile")).rejects.toThrow(Error);
      expect(await queues.isUsable()).toBe(false);
      const errorsBefore = count.errors;
      await sleep(AWAY_MS);
      expect(count.errors - errorsBefore).toBeLessThan(ERRORS_MAX);
      await expect.poll(() => count.errors).toBeGreaterThan(errorsBefore);
      expect(count.done).toBe(0);

      const usableBefore = count.usable;
      await fault.end();
      // Without an announcement, it is noticed too.
      await expect.poll(() => count.usable).toBeGreaterThan(usableBefore);
      await expect.poll(() => queues.isUsable()).toBe(true);
      for (let n = 0; n < JOBS; n++) await announce(`after-${n}`);
      // A killed one has lost its earlier jobs.
      await expect.poll(() => count.done).toBeGreaterThanOrEqual(kind === "killed" ? JOBS : 2 * JOBS);
      await Promise.all([worker.close(true), queues.close()]);
    });

    it("prevents neither a queue nor a worker from closing", async ({ expect }) => {
      await using fault = await REDIS_FAULTS[kind]();
      const backend = { redisUrl: fault.url, databaseUrl: "postgres://127.0.0.1:1/none" };
      const events = { onError: () => undefined };
      const queues = openQueues(backend, events);
      const worker = openScanWorker(backend, { concurrency: 4, ...events }, async () => undefined);
      await expect.poll(() => queues.isUsable()).toBe(true);
      await fault.begin();
      await sleep(500);
      await Promise.all([worker.close(true), queues.close()]);
    });
  },
);
