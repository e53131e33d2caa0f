import { setTimeout as sleep } from "node:timers/promises";
import { openScanQueue } from "@waymark/shared/queue/scan-queue.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { ServiceProcess } from "@waymark/test-support/service-process.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { QUEUES, type Stack, startStack, startWorker } from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";
import { reckon } from "./support/recount.ts";
import { announceSeed } from "@waymark/test-support/scale.ts";
import type { SentScan } from "./support/scan-stream.ts";
import { storedState } from "./support/stored-state.ts";
import { inParallel, submitScan, untilAllFinal } from "./support/submit.ts";

const LEASE_MS = 3_000;
const workerEnv = { WORKER_LEASE_MS: String(LEASE_MS), WORKER_RECONCILE_MS: "300", WORKER_CONCURRENCY: "2" };
const NOTHING_WRONG = {
  acceptedAndLost: 0,
  duplicates: 0,
  notFinal: 0,
  falseCompleted: 0,
  failed: 0,
  wrongCurrent: 0,
};

beforeAll(announceSeed);

describe.each(QUEUES)("on the %s queue", (queue) => {
  let stack: Stack;
  let second: ServiceProcess;
  const sent: SentScan[] = [];
  beforeAll(async () => {
    stack = await startStack({ queue, workerEnv });
    second = await startWorker({ ...stack, env: workerEnv });
  });
  afterAll(async () => {
    await second.stop();
    await stack[Symbol.asyncDispose]();
  });

  async function submit(options: Parameters<typeof scanPayload>[0]): Promise<SentScan> {
    const answer = await submitScan(stack, scanPayload(options));
    expect(answer.status).toBe(201);
    sent.push(answer.sent);
    return answer.sent;
  }

  it(
    "every job delivered four times, to two workers, stores what one delivery stores",
    { timeout: 300_000 },
    async () => {
      const errors: Error[] = [];
      const jobs = openScanQueue(stack, { onError: (error) => errors.push(error) });
      await jobs.started();
      let delivered = 0;
      const again = async ({ scanRunId }: SentScan, publishCount: number) => {
        const job = { organizationId: stack.organizationId, scanRunId: scanRunId ?? "" };
        // One that the queue does not take in time is no second delivery; the others are.
        await jobs.announce(job, publishCount).then(
          () => delivered++,
          (error: Error) => errors.push(error),
        );
      };
      await inParallel({ total: 150, atOnce: 10 }, async (number) => {
        const scan = await submit({ serviceName: `double ${number % 3}`, seed: `double ${number % 100}` });
        await Promise.all([1001, 1002, 1003].map((count) => again(scan, count)));
      });
      await untilAllFinal(stack, { limitMs: 60_000 });
      const before = await storedState(stack);
      for (const scan of sent) await again(scan, 2001);
      await sleep(1_000);

      const result = await reckon(stack, sent);
      recordFigures(`Double delivery, queue: ${queue}`, {
        "scans sent": sent.length,
        accepted: result.accepted,
        "further deliveries": delivered,
        "duplicate rows": result.duplicates,
        "false completed": result.falseCompleted,
      });
      expect(await storedState(stack)).toEqual(before);
      expect(result).toMatchObject(NOTHING_WRONG);
      expect(delivered).toBeGreaterThan(sent.length);
      await jobs.close();
    },
  );

  it(
    "a worker that sleeps past its lease changes nothing when it wakes: others did its work",
    { timeout: 300_000 },
    async () => {
      await Promise.all([second.stop(), stack.worker.stop()]);
      let held = 0;
      let sleeper: ServiceProcess;
      do {
        // So much to parse that it can be stopped between its claim and its first write.
        const scans = await Promise.all(
          Array.from({ length: 25 }, (_, n) =>
            submit({ serviceName: "slow", endpoints: 2000, findings: 500, seed: `slow ${n} ${sent.length}` }),
          ),
        );
        sleeper = await startWorker({ ...stack, env: { ...workerEnv, WORKER_CONCURRENCY: "1" } });
        held = await stopAfterClaim(sleeper, scans);
        if (held === 0) {
          process.kill(sleeper.pid, "SIGCONT");
          await sleeper.stop();
        }
      } while (held === 0);

      second = await startWorker({ ...stack, env: workerEnv });
      const newest = await submit({ serviceName: "slow", seed: "newest" });
      await untilAllFinal(stack, { limitMs: 60_000 });
      const before = await storedState(stack);
      const [service] = await query<{ current_run_id: string }>(
        stack,
        "SELECT current_run_id FROM services WHERE name = 'slow'",
      );
      expect(service?.current_run_id).toBe(newest.scanRunId);

      process.kill(sleeper.pid, "SIGCONT");
      while (!sleeper.output().includes("scan runs persisted")) await sleep(20);
      await sleep(300);
      expect(await storedState(stack)).toEqual(before);
      const result = await reckon(stack, sent);
      recordFigures(`A worker outlives its lease, queue: ${queue}`, {
        "lease (ms)": LEASE_MS,
        "runs that it held": held,
        "rows changed after it woke": 0,
        "duplicate rows": result.duplicates,
      });
      expect(result).toMatchObject(NOTHING_WRONG);
      stack.worker = sleeper;
    },
  );

  it("runs completed out of order, and late jobs replayed, never move a service back", async () => {
    const runs: SentScan[] = [];
    for (let n = 0; n < 6; n++) {
      const scan = await holdBack(() => submit({ serviceName: "order", seed: `order ${n}` }));
      runs.push(scan);
    }
    // The newest first, then one by one back to the oldest.
    for (const scan of runs.toReversed()) {
      await query(
        stack,
        "UPDATE scan_payloads SET available_at = now() - interval '1 minute' WHERE scan_run_id = $1",
        [scan.scanRunId],
      );
      expect(await waitForRun(stack, scan.scanRunId ?? "")).toMatchObject({ status: "completed" });
      expect(await currentRun("order")).toBe(runs.at(-1)?.scanRunId);
    }
    // A known body with an older time is complete at once, and is not newer for that.
    await submitScan(stack, scanPayload({ serviceName: "order", seed: "order 0" }), {
      ...(runs[0] as SentScan),
      scannedAt: new Date(Date.now() - 48 * 3_600_000).toISOString(),
    });
    expect(await currentRun("order")).toBe(runs.at(-1)?.scanRunId);
  });

  async function currentRun(serviceName: string): Promise<string | undefined> {
    const [row] = await query<{ current_run_id: string }>(
      stack,
      "SELECT current_run_id FROM services WHERE name = $1",
      [serviceName],
    );
    return row?.current_run_id;
  }

  /** Keeps the worker from what is submitted meanwhile. */
  async function holdBack(work: () => Promise<SentScan>): Promise<SentScan> {
    process.kill(stack.worker.pid, "SIGSTOP");
    process.kill(second.pid, "SIGSTOP");
    try {
      const scan = await work();
      await query(
        stack,
        "UPDATE scan_payloads SET available_at = now() + interval '1 hour' WHERE scan_run_id = $1",
        [scan.scanRunId],
      );
      return scan;
    } finally {
      process.kill(stack.worker.pid, "SIGCONT");
      process.kill(second.pid, "SIGCONT");
    }
  }

  /** @returns how many runs it holds, claimed and not yet touched: 0 when it was stopped too late */
  async function stopAfterClaim(worker: ServiceProcess, scans: readonly SentScan[]): Promise<number> {
    const ids = scans.map((scan) => scan.scanRunId);
    const claimed = "FROM scan_payloads WHERE scan_run_id = ANY($1::uuid[]) AND attempts = 1";
    const count = async (rest: string) =>
      (await query(stack, `SELECT scan_run_id ${claimed} ${rest}`, [ids])).length;
    while ((await count("")) === 0) await sleep(2);
    process.kill(worker.pid, "SIGSTOP");
    // Rows that it has locked already are in the middle of its transaction.
    const untouched = await count("FOR UPDATE SKIP LOCKED");
    return untouched === (await count("")) ? untouched : 0;
  }
});
