import { createPgPool } from "@waymark/server/db/pool.ts";
import { openQueues } from "@waymark/server/queue/queues.ts";
import { acceptScans } from "@waymark/server/scans/accept/queries.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readScan } from "@waymark/test-support/scans/scan-database.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  QUEUES,
  type ProcessStack,
  startProcessStack,
  startWorkerProcess,
} from "@waymark/test-support/stack.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { percentile, recordFigures } from "./support/figures.ts";
import { inParallel } from "./support/submit.ts";

/** How many runs of the backlog one statement accepts. */
const BATCH = 10;
/** How many runs a worker persists in one transaction. */
const WORKER_BATCH_MAX = 50;
/** Other tests would take the processor from the worker in the short form. */
const LARGE_BACKLOGS: readonly number[] = scaled({ short: [], long: [10_000] });
const WITHIN_MS = 2_000;
const RUNS_OF_B = 20;

describe.each(QUEUES)("on the %s queue", (queue) => {
  let stack: ProcessStack;
  let http: HttpClient;
  beforeAll(async () => {
    stack = await startProcessStack({ queue });
    const other = await createHostedOrganization(stack.databaseUrl, "Small");
    http = createHttpClient(stack.api.baseUrl, { key: other.apiKey });
    await ingest(stack, scanPayload({ serviceName: "large" }));
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it("another organization's run waits for a batch or two of one with 400 runs, not for all of them", async () => {
    await stack.worker.stop();
    await announceAll(stack, await fillBacklog(stack, 400));
    const ids = [await submit(http, "waits")];
    // Batches follow one another, so that the order in which runs complete does not depend on the machine's speed.
    stack.worker = await startWorkerProcess({ ...stack, env: { WORKER_CONCURRENCY: "1" } });
    await waitForRun({ http }, ids[0] ?? "");
    for (let n = 0; n < 4; n++) {
      const id = await submit(http, `comes meanwhile ${n}`);
      await waitForRun({ http }, id);
      ids.push(id);
    }
    for (const id of ids) expect(await countBefore(stack, id)).toBeLessThanOrEqual(2 * WORKER_BATCH_MAX);
  });

  it.each(LARGE_BACKLOGS)(
    `with %i runs of one organization waiting, another's run completes within ${WITHIN_MS} ms (p95)`,
    { timeout: 400_000 },
    async (backlog) => {
      const undisturbed: number[] = [];
      while (undisturbed.length < RUNS_OF_B) {
        undisturbed.push(await timeRun(http, `idle ${undisturbed.length}`));
      }
      await stack.worker.stop();
      await announceAll(stack, await fillBacklog(stack, backlog));
      stack.worker = await startWorkerProcess(stack);

      const times: number[] = [];
      let backlogAtEnd = await countWaiting(stack);
      const backlogAtStart = backlogAtEnd;
      while (times.length < RUNS_OF_B && backlogAtEnd > 0) {
        times.push(await timeRun(http, `busy ${times.length}`));
        backlogAtEnd = await countWaiting(stack);
      }
      recordFigures(`Fairness, queue: ${queue}`, {
        "runs of A waiting at the start": backlogAtStart,
        "runs of A waiting at the end": backlogAtEnd,
        "runs of B": times.length,
        "with nobody waiting, from POST to completed (ms, p50)": Math.round(percentile(undisturbed, 0.5)),
        "from POST to completed (ms, p50)": Math.round(percentile(times, 0.5)),
        "from POST to completed (ms, p95)": Math.round(percentile(times, 0.95)),
      });
      expect(times).toHaveLength(RUNS_OF_B);
      expect(percentile(times, 0.95)).toBeLessThan(WITHIN_MS);
    },
  );
});

async function submit(http: HttpClient, seed: string): Promise<string> {
  const { status, body } = await ingest({ http }, scanPayload({ serviceName: "small", seed }));
  expect(status).toBe(201);
  return body.scanRunId;
}

/** How many runs of the backlog were completed while another organization's run waited. */
async function countBefore(stack: ProcessStack, scanRunId: string): Promise<number> {
  const [row] = await query<{ total: number }>(
    stack,
    `SELECT count(*)::int AS total FROM scan_runs a, scan_runs b
     WHERE b.id = $1 AND a.organization_id = $2 AND a.completed_at BETWEEN b.created_at AND b.completed_at`,
    [scanRunId, stack.organizationId],
  );
  return row?.total ?? Number.NaN;
}

/** @returns milliseconds from the POST until the run is completed */
async function timeRun(http: HttpClient, seed: string): Promise<number> {
  const start = performance.now();
  const scanRunId = await submit(http, seed);
  expect(await waitForRun({ http }, scanRunId)).toMatchObject({ status: "completed" });
  return performance.now() - start;
}

/** The result of so many requests, by the statement that accepts several of them. Every content is different. */
async function fillBacklog(stack: ProcessStack, total: number): Promise<string[]> {
  const options = { max: 2, applicationName: "test", onError: () => undefined };
  const pool = createPgPool(serviceUrl(stack.databaseUrl), options);
  const scanRunIds: string[] = [];
  await inParallel({ total: total / BATCH, atOnce: 2 }, async (number) => {
    const scans = Array.from({ length: BATCH }, (_, n) =>
      readScan(stack.organizationId, `${total} ${number} ${n}`, {
        service: "large",
        endpoints: 20,
        findings: 0,
      }),
    );
    const outcomes = await acceptScans(pool, scans, { mayWait: true });
    for (const outcome of outcomes) expect(outcome).toMatchObject({ outcome: "accepted" });
    scanRunIds.push(...scans.map((scan) => scan.scanRunId));
  });
  await pool.end();
  return scanRunIds;
}

async function announceAll(stack: ProcessStack, scanRunIds: readonly string[]): Promise<void> {
  const jobs = openQueues(stack, { onError: () => undefined });
  await jobs.started();
  await inParallel({ total: scanRunIds.length, atOnce: 50 }, async (number) => {
    // The reconciler finds what the queue does not accept in time.
    await jobs.scans
      .announce({ organizationId: stack.organizationId, scanRunId: scanRunIds[number] ?? "" })
      .catch(() => undefined);
  });
  await jobs.close();
}

async function countWaiting(stack: ProcessStack): Promise<number> {
  const [row] = await query<{ total: number }>(
    stack,
    "SELECT count(*)::int AS total FROM scan_payloads WHERE organization_id = $1",
    [stack.organizationId],
  );
  return row?.total ?? 0;
}
