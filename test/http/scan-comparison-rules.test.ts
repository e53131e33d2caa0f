// Verdicts by rules of two versions: this one's, and one before it.
import { ENGINE_VERSION } from "@waymark/contract-diff/engine-version.ts";
import { createPgPool, type PgPool } from "@waymark/server/db/pool.ts";
import { createCompiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { createLogger } from "@waymark/server/lib/logger.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { descriptionOf } from "@waymark/test-support/descriptions.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack, startWorker } from "@waymark/test-support/stack.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createComparer } from "../../services/worker/src/scans/comparisons/comparer.ts";
import { createOutdatedComparisons } from "../../services/worker/src/scans/comparisons/outdated-comparisons.ts";

const OLDER = ENGINE_VERSION - 1;

let stack: Stack;
let pool: PgPool;
let older: ReturnType<typeof newComparer>;
let newer: ReturnType<typeof newComparer>;
beforeAll(async () => {
  // Its own worker looks for comparisons once an hour.
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "3600000" } });
  const options = { max: 4, applicationName: "test", onError: () => undefined };
  pool = createPgPool(serviceUrl(stack.databaseUrl), options);
  older = newComparer(OLDER);
  newer = newComparer(ENGINE_VERSION);
});
afterAll(async () => {
  for (const comparer of [older, newer]) comparer[Symbol.dispose]();
  await pool.end();
  await stack[Symbol.asyncDispose]();
});

/** The comparing part of a worker whose rules have a version. Without a pause between its passes, it finds all that is outdated. */
function newComparer(engine: number) {
  const outcomes: string[] = [];
  const compiler = createCompiler({
    processes: 1,
    limits: { ms: 30_000, wallMs: 60_000, taskMs: 60_000, memoryMiB: 256 },
  });
  const run = () =>
    createComparer({
      pool,
      logger: createLogger({ service: "worker", level: "silent" }),
      compiler,
      observer: { compared: (outcome) => outcomes.push(outcome), retried: () => outcomes.push("retried") },
      leaseMs: 60_000,
      pauseMs: 0,
      engine,
      outdated: createOutdatedComparisons({ pool, engine, everyMs: 3_600_000 }),
    }).run();
  return { run, outcomes, [Symbol.dispose]: () => compiler[Symbol.dispose]() };
}

/** Stores one run for each list of required query parameters, all of a service of their own. */
async function runsWith(...lists: (readonly string[])[]): Promise<string[]> {
  const { scan } = newService();
  const runs: string[] = [];
  for (const required of lists) runs.push(await scan(required));
  return runs;
}

/** Scans a service of its own, whose runs require query parameters. */
function newService() {
  const payload = scanPayload({ serviceName: randomUUID(), seed: randomUUID(), endpoints: 1 });
  const scan = async (required: readonly string[], { promote = true } = {}) => {
    const headers = { "waymark-promote": String(promote) };
    const { body } = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", payload, { headers });
    await waitForRun(stack, body.scanRunId);
    const description = descriptionOf(payload.endpoints);
    for (const operation of Object.values(description.paths).flatMap((item) => Object.values(item)))
      Object.assign(operation, {
        parameters: required.map((name) => ({ name, in: "query", required: true, schema: {} })),
      });
    const path = `/api/scan-runs/${body.scanRunId}/description`;
    expect((await stack.http.request("PUT", path, { body: description })).status).toBeLessThan(300);
    return body.scanRunId;
  };
  return { scan };
}

const changesOf = async (scanRunId = "") =>
  (await stack.http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`)).body;
const briefOf = async (scanRunId = "") => {
  const { status, counts, rules } = (await changesOf(scanRunId)).comparison;
  return [status, counts?.breaking ?? null, rules];
};
const rulesOf = (version: number) => ({ version, latest: ENGINE_VERSION });
/** Makes the verdicts on a run those of other rules: they found so many breaks. */
const judgedOtherwise = (breaking: number, scanRunId = "") =>
  query(stack, "UPDATE scan_comparisons SET breaking = $1 WHERE scan_run_id = $2", [breaking, scanRunId]);

it("say which rules they are of until newer ones have judged the last change, and earlier ones stay", async () => {
  const [, first, last, same] = await runsWith([], ["a"], ["a", "b"], ["a", "b"]);
  await older.run();
  for (const run of [first, last]) await judgedOtherwise(9, run);
  expect(await briefOf(first)).toEqual(["compared", 9, rulesOf(OLDER)]);
  expect(await briefOf(last)).toEqual(["compared", 9, rulesOf(OLDER)]);
  await newer.run();
  expect(await briefOf(first)).toEqual(["compared", 9, rulesOf(OLDER)]);
  expect(await briefOf(last)).toEqual(["compared", 1, rulesOf(ENGINE_VERSION)]);
  expect(await briefOf(same)).toEqual(["compared", 0, null]);
});

it("that found nothing are judged again, too, since the last one that did", async () => {
  const [, changed, first, last] = await runsWith([], ["a"], ["a", "b"], ["a", "b", "c"]);
  await older.run();
  for (const run of [first, last]) await judgedOtherwise(0, run);
  await newer.run();
  for (const run of [changed, first, last])
    expect(await briefOf(run)).toEqual(["compared", 1, rulesOf(ENGINE_VERSION)]);
});

it("of runs that are not promoted are judged again, too, and stay not promoted", async () => {
  const { scan } = newService();
  await scan([]);
  const held = await scan(["a"], { promote: false });
  await scan(["b"]);
  await older.run();
  await judgedOtherwise(9, held);
  expect(await briefOf(held)).toEqual(["compared", 9, rulesOf(OLDER)]);
  newer.outcomes.length = 0;
  await newer.run();
  expect(await briefOf(held)).toEqual(["compared", 1, rulesOf(ENGINE_VERSION)]);
  // Once each: the next search finds nothing.
  const count = newer.outcomes.length;
  await newer.run();
  expect(newer.outcomes).toHaveLength(count);
});

it("of a run that is not promoted stay, and say so, behind twenty newer runs", async () => {
  const { scan } = newService();
  await scan([]);
  const held = await scan(["a"], { promote: false });
  await older.run();
  for (let count = 0; count < 20; count++) await scan(["a"], { promote: false });
  await newer.run();
  expect(await briefOf(held)).toEqual(["compared", 1, rulesOf(OLDER)]);
});

it("are not replaced by those of older rules", async () => {
  const [, run] = await runsWith([], ["a"]);
  await newer.run();
  await judgedOtherwise(7, run);
  await query(stack, "SELECT request_comparisons($1, $2)", [stack.organizationId, run]);
  await older.run();
  expect(await briefOf(run)).toEqual(["compared", 7, rulesOf(ENGINE_VERSION)]);
});

it("stay where the description before is deleted, and the search for outdated ones ends", async () => {
  const [base, run] = await runsWith([], ["a"]);
  await older.run();
  await query(stack, "DELETE FROM scan_runs WHERE id = $1", [base]);
  newer.outcomes.length = 0;
  await newer.run();
  expect(await briefOf(run)).toEqual(["compared", 1, rulesOf(OLDER)]);
  expect(newer.outcomes).toEqual([]);
});

it("have pages of their own: a cursor does not lead from those of older rules to those of newer ones", async () => {
  const [, run] = await runsWith([], ["a", "b", "c"]);
  await older.run();
  const { body } = await stack.http.get<ScanChanges>(`/api/scan-runs/${run}/changes?limit=1`);
  await newer.run();
  const next = await stack.http.get(`/api/scan-runs/${run}/changes?limit=1&cursor=${body.nextCursor}`);
  expect(next.status).toBe(400);
});

it("of every service are made again by a worker that starts with newer rules", async () => {
  const services = 21;
  const runs: string[] = [];
  for (let service = 0; service < services; service++) runs.push((await runsWith([], ["a"]))[1] ?? "");
  await older.run();
  await using worker = await startWorker({
    databaseUrl: stack.databaseUrl,
    env: { WORKER_RECONCILE_MS: "100" },
  });
  expect(worker).toBeDefined();
  const versions = async () => {
    const rules = await Promise.all(runs.map(async (run) => (await changesOf(run)).comparison.rules));
    return new Set(rules.map((each) => each?.version));
  };
  await expect.poll(versions, { timeout: 60_000 }).toEqual(new Set([ENGINE_VERSION]));
});
