import { setTimeout as sleep } from "node:timers/promises";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { openQueues } from "@waymark/server/queue/queues.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { ServiceProcess } from "@waymark/test-support/service-process.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  QUEUES,
  type ProcessStack,
  startProcessStack,
  startWorkerProcess,
} from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";
import { reckon } from "./support/recount.ts";
import { announceSeed, scaled } from "@waymark/test-support/scale.ts";
import type { SentScan } from "./support/scan-stream.ts";
import { storedState } from "./support/stored-state.ts";
import { inParallel, submitScan, untilAllFinal } from "./support/submit.ts";

const DELIVERIES = scaled({ short: 30, long: 150 });
/** As many as one claim takes. */
const CLAIMED_SCANS = 10;
const workerEnv = { WORKER_RECONCILE_MS: "300", WORKER_CONCURRENCY: "2" };
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
  let stack: ProcessStack;
  let second: ServiceProcess;
  const sent: SentScan[] = [];
  beforeAll(async () => {
    stack = await startProcessStack({ queue, workerEnv });
    second = await startWorkerProcess({ ...stack, env: workerEnv });
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
      const jobs = openQueues(stack, { onError: (error) => errors.push(error) });
      await jobs.started();
      let delivered = 0;
      const again = async ({ scanRunId }: SentScan, publishCount: number) => {
        const job = { organizationId: stack.organizationId, scanRunId: scanRunId ?? "" };
        // An announcement that the queue does not accept in time is not delivered again; the others are.
        await jobs.scans.announce(job, publishCount).then(
          () => delivered++,
          (error: Error) => errors.push(error),
        );
      };
      await inParallel({ total: DELIVERIES, atOnce: 10 }, async (number) => {
        const scan = await submit({
          serviceName: `double ${number % 3}`,
          seed: `double ${number % (DELIVERIES / 2)}`,
        });
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
    "a worker that hears of its claim after its lease changes nothing: another did its work",
    { timeout: 300_000 },
    async () => {
      await Promise.all([second.stop(), stack.worker.stop()]);
      const claimed: SentScan[] = [];
      for (let n = 0; n < CLAIMED_SCANS; n++)
        claimed.push(await submit({ serviceName: "slow", endpoints: 200, findings: 50, seed: `slow ${n}` }));
      let hasClaimed = false;
      await using proxy = await startTcpProxy(stack.databaseUrl, {
        onSent(chunk) {
          if (hasClaimed || !chunk.includes("claim_scan_runs")) return undefined;
          hasClaimed = true;
          return "hold";
        },
      });
      const payloads = () =>
        query(
          stack,
          `SELECT attempts, available_at > now() AS "isClaimed", count(*)::int AS count
           FROM scan_payloads GROUP BY 1, 2 ORDER BY 1, 2`,
        );
      // A claim of fewer would be held, and the others never claimed.
      await expect.poll(payloads).toEqual([{ attempts: 0, isClaimed: false, count: claimed.length }]);
      const env = { ...workerEnv, WORKER_CONCURRENCY: "1" };
      const late = await startWorkerProcess({ ...stack, databaseUrl: proxy.url, env });
      await expect.poll(payloads).toEqual([{ attempts: 1, isClaimed: true, count: claimed.length }]);
      // Their lease ends.
      await query(stack, "UPDATE scan_payloads SET available_at = now()");

      second = await startWorkerProcess({ ...stack, env: workerEnv });
      const newest = await submit({ serviceName: "slow", seed: "newest" });
      await untilAllFinal(stack, { limitMs: 60_000 });
      const before = await storedState(stack);
      expect(await currentRun("slow")).toBe(newest.scanRunId);

      proxy.resume();
      await expect.poll(() => late.output()).toContain("scan runs persisted");
      await late.stop();
      expect(await storedState(stack)).toEqual(before);
      const result = await reckon(stack, sent);
      recordFigures(`A worker outlives its lease, queue: ${queue}`, {
        "runs that it held": claimed.length,
        "rows changed after it woke": 0,
        "duplicate rows": result.duplicates,
      });
      expect(result).toMatchObject(NOTHING_WRONG);
    },
  );

  it("runs completed out of order, and late jobs replayed, never move a service back", async () => {
    await stack.worker.stop();
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
    // A known body with an older time is complete at once, but not newer.
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

  /** Keeps the worker from claiming what is submitted meanwhile. */
  async function holdBack(work: () => Promise<SentScan>): Promise<SentScan> {
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
      process.kill(second.pid, "SIGCONT");
    }
  }
});
