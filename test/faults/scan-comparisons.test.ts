import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { descriptionOf } from "@waymark/test-support/descriptions.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type ProcessStack, startProcessStack, startWorkerProcess } from "@waymark/test-support/stack.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";

const workerEnv = { WORKER_LEASE_MS: "2000", WORKER_RECONCILE_MS: "100" };
const REQUIRED = 40;

let stack: ProcessStack;
beforeAll(async () => {
  stack = await startProcessStack({ workerEnv });
});
afterAll(() => stack[Symbol.asyncDispose]());

const newPayload = (serviceName: string) => scanPayload({ serviceName, seed: serviceName, endpoints: 200 });

/** Stores two runs of a service. */
async function scanTwice(payload: ReturnType<typeof newPayload>): Promise<string[]> {
  const runs: string[] = [];
  while (runs.length < 2) {
    const { body } = await ingest(stack, payload);
    await waitForRun(stack, body.scanRunId);
    runs.push(body.scanRunId);
  }
  return runs;
}

/** Stores the descriptions of two runs, of which the second requires parameters of every operation, and returns that run. */
async function describeRuns(
  payload: ReturnType<typeof newPayload>,
  runs: readonly string[],
): Promise<string> {
  for (const [index, scanRunId] of runs.entries()) {
    const count = index * REQUIRED;
    const description = descriptionOf(payload.endpoints);
    for (const operation of Object.values(description.paths).flatMap((item) => Object.values(item)))
      Object.assign(operation, {
        parameters: Array.from({ length: count }, (_, n) => {
          return { name: `p${n}`, in: "query", required: true, schema: { type: "string" } };
        }),
      });
    const path = `/api/scan-runs/${scanRunId}/description`;
    expect((await stack.http.request("PUT", path, { body: description })).status).toBe(201);
  }
  return runs[1] ?? "";
}

const comparisonOf = async (scanRunId: string) =>
  (await stack.http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes?limit=1`)).body.comparison;

const isClaimed = async (scanRunId: string) =>
  (
    await query(stack, "SELECT FROM scan_comparison_tasks WHERE scan_run_id = $1 AND attempts > 0", [
      scanRunId,
    ])
  ).length > 0;

/** The processes that a process has started, on Linux and macOS. */
function childrenOf(pid: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return processes.flatMap(([id, parent]) => (id !== undefined && parent === pid ? [id] : []));
}

async function expectCompared(scanRunId: string): Promise<void> {
  await waitUntil("the run is compared", async () => (await comparisonOf(scanRunId)).status !== "pending");
  const { status, counts } = await comparisonOf(scanRunId);
  expect({ status, breaks: (counts?.breaking ?? 0) > 0 }).toEqual({ status: "compared", breaks: true });
  const left = await query(stack, "SELECT FROM scan_comparison_tasks WHERE scan_run_id = $1", [scanRunId]);
  expect(left).toEqual([]);
}

describe("a comparison", () => {
  it("is made by another worker when its worker is killed", async () => {
    const payload = newPayload("killed worker");
    const runs = await scanTwice(payload);
    await stack.worker.stop();
    const run = await describeRuns(payload, runs);
    const killed = await startWorkerProcess({ ...stack, env: workerEnv });
    await waitUntil("a worker has claimed it", () => isClaimed(run));
    await killed.stop("SIGKILL");
    expect((await comparisonOf(run)).status).toBe("pending");
    await using next = await startWorkerProcess({ ...stack, env: workerEnv });
    expect(next.pid).not.toBe(killed.pid);
    await expectCompared(run);
  });

  it("is made again when its process is killed, and by one of several workers", async () => {
    await using first = await startWorkerProcess({ ...stack, env: workerEnv });
    await using second = await startWorkerProcess({ ...stack, env: workerEnv });
    const payload = newPayload("killed process");
    const run = await describeRuns(payload, await scanTwice(payload));
    let killed = 0;
    await waitUntil("a process was killed", async () => {
      for (const pid of [first, second].flatMap((worker) => childrenOf(worker.pid))) {
        process.kill(pid, "SIGKILL");
        killed++;
      }
      return killed > 0 || (await comparisonOf(run)).status !== "pending";
    });
    expect(killed).toBeGreaterThan(0);
    await expectCompared(run);
    const rows = await query(stack, "SELECT FROM scan_comparisons WHERE scan_run_id = $1", [run]);
    expect(rows).toHaveLength(1);
  });
});
