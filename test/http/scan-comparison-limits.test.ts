// Comparisons that a worker of this process makes, with limits and at moments that the tests choose.
import { ENGINE_VERSION } from "@waymark/contract-diff/engine-version.ts";
import { createPgPool, type PgPool } from "@waymark/server/db/pool.ts";
import { createCompiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { CompilerLimits } from "@waymark/server/journeys/compiler/compiler-child.ts";
import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import { createLogger } from "@waymark/server/lib/logger.ts";
import { claimComparison, finishComparison } from "@waymark/server/scans/comparisons/work.queries.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { descriptionOf, scanned } from "@waymark/test-support/descriptions.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createComparer } from "../../services/worker/src/scans/comparisons/comparer.ts";

const NIL = "00000000-0000-0000-0000-000000000000";
const LIMITS: CompilerLimits = { ms: 30_000, wallMs: 60_000, taskMs: 60_000, memoryMiB: 256 };
const LEASE_MS = 60_000;

let stack: Stack;
let pool: PgPool;
/** Has a process that is used again. */
let comparer: ReturnType<typeof newComparer>;
beforeAll(async () => {
  // Its own comparisons would come first: its worker looks for them once an hour.
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "3600000" } });
  pool = createPgPool(serviceUrl(stack.databaseUrl), {
    max: 4,
    applicationName: "test",
    onError: () => undefined,
  });
  comparer = newComparer();
});
afterAll(async () => {
  comparer[Symbol.dispose]();
  await pool.end();
  await stack[Symbol.asyncDispose]();
});

/** Stores two runs with different descriptions, and returns the second. */
async function changedRun(schema: (version: number) => object = (version) => ({ maxLength: 9 - version })) {
  const options = { serviceName: randomUUID(), seed: randomUUID(), endpoints: 1 };
  let scanRunId = "";
  for (const version of [0, 1]) {
    const run = await scanned(stack, options);
    const description = descriptionOf(run.endpoints, { components: { schemas: { S: schema(version) } } });
    for (const operation of Object.values(description.paths).flatMap((item) => Object.values(item)))
      Object.assign(operation, {
        parameters: [{ name: "q", in: "query", schema: { $ref: "#/components/schemas/S" } }],
      });
    const put = await stack.http.request("PUT", run.path, { body: description });
    expect(put.status).toBe(201);
    ({ scanRunId } = run);
  }
  return scanRunId;
}

const comparisonOf = async (scanRunId: string) =>
  (await stack.http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes`)).body.comparison;

const tasksOf = (scanRunId: string) =>
  query<{ attempts: number }>(stack, "SELECT attempts FROM scan_comparison_tasks WHERE scan_run_id = $1", [
    scanRunId,
  ]);

function newComparer(limits: CompilerLimits = LIMITS) {
  const outcomes: string[] = [];
  const compiler = createCompiler({ processes: 1, limits });
  const created = createComparer({
    pool,
    logger: createLogger({ service: "worker", level: "silent" }),
    compiler,
    observer: { compared: (outcome) => outcomes.push(outcome), retried: () => outcomes.push("retried") },
    leaseMs: LEASE_MS,
    pauseMs: 0,
    engine: ENGINE_VERSION,
    outdated: { requestSome: async () => false },
  });
  return { run: created.run, outcomes, [Symbol.dispose]: () => compiler[Symbol.dispose]() };
}

/** Claims the comparison of a run, as a worker does that does not end it. */
const claim = async (scanRunId: string) => {
  await query(stack, "DELETE FROM scan_comparison_tasks WHERE scan_run_id <> $1", [scanRunId]);
  const task = await claimComparison(pool, { afterOrganizationId: NIL, leaseMs: LEASE_MS });
  if (task === undefined) throw new Error("no comparison is due");
  return task;
};
const finish = (task: Awaited<ReturnType<typeof claim>>) =>
  withOrganizationClient(pool, task.organizationId, (client) => finishComparison(client, task, undefined));

it("is too large after three attempts that exceed a limit, and says so", async () => {
  const run = await changedRun();
  using limited = newComparer({ ...LIMITS, ms: 1, wallMs: 1 });
  await limited.run();
  expect(limited.outcomes).toEqual(["retried", "retried", "too_large"]);
  expect(await comparisonOf(run)).toMatchObject({
    status: "not_compared",
    reason: "too_large",
    counts: null,
  });
  expect(await tasksOf(run)).toEqual([]);
});

it("fails after workers have ended without a word three times", async () => {
  const run = await changedRun();
  await query(stack, "UPDATE scan_comparison_tasks SET attempts = 3 WHERE scan_run_id = $1", [run]);
  await comparer.run();
  expect(await comparisonOf(run)).toMatchObject({ status: "not_compared", reason: "failed" });
});

it("is made once by two workers that look for it at a time", async () => {
  const run = await changedRun();
  comparer.outcomes.length = 0;
  using second = newComparer();
  await Promise.all([comparer.run(), second.run()]);
  expect([...comparer.outcomes, ...second.outcomes]).toEqual(["compared"]);
  expect(await comparisonOf(run)).toMatchObject({ status: "compared", counts: { breaking: 1 } });
});

it("is claimed alone, and the others stay due, whatever the plan of the statement", async () => {
  await query(stack, "DELETE FROM scan_comparison_tasks");
  await query(stack, "VACUUM ANALYZE scan_comparison_tasks");
  for (let services = 0; services < 5; services++) await changedRun();
  const options = { max: 1, applicationName: "test", onError: () => undefined };
  const planned = createPgPool(serviceUrl(stack.databaseUrl), options);
  for (const kind of ["hashjoin", "mergejoin", "material", "memoize"])
    await planned.query(`SET enable_${kind} = off`);
  const due = async () =>
    (await query(stack, "SELECT FROM scan_comparison_tasks WHERE available_at <= now()")).length;
  for (let left = await due(); left > 0; left--) {
    expect(await due()).toBe(left);
    const task = await claimComparison(planned, { afterOrganizationId: NIL, leaseMs: LEASE_MS });
    expect(task?.attempt).toBe(1);
  }
  await planned.end();
  await query(stack, "DELETE FROM scan_comparison_tasks");
});

it("can't be ended by a worker that has lost it", async () => {
  const run = await changedRun();
  const lost = await claim(run);
  await query(stack, "UPDATE scan_comparison_tasks SET available_at = now() WHERE scan_run_id = $1", [run]);
  await comparer.run();
  expect(await finish(lost)).toBe(false);
  expect(await comparisonOf(run)).toMatchObject({ status: "compared" });
});

it("is made again if it is requested while it is made", async () => {
  const run = await changedRun();
  const task = await claim(run);
  await query(stack, "SELECT request_comparisons($1, $2)", [stack.organizationId, run]);
  expect(await finish(task)).toBe(true);
  expect(task.attempt).toBe(1);
  expect(await tasksOf(run)).toEqual([{ attempts: 0 }]);
  await comparer.run();
  expect(await comparisonOf(run)).toMatchObject({ status: "compared" });
});

it("ends without a trace if its run is deleted meanwhile", async () => {
  const run = await changedRun();
  const task = await claim(run);
  await query(stack, "DELETE FROM scan_runs WHERE id = $1", [run]);
  expect(await finish(task)).toBe(false);
  expect(await query(stack, "SELECT FROM scan_comparisons WHERE scan_run_id = $1", [run])).toEqual([]);
});

const REFERENCES = { $ref: "#/components/schemas/S" };
const nested = (depth: number, innermost: object): object =>
  depth === 0 ? innermost : { type: "object", properties: { a: nested(depth - 1, innermost) } };

it.each<[string, (version: number) => object]>([
  ["deep", (version) => nested(200, { type: "string", maxLength: 9 - version })],
  [
    "referring to themselves",
    (version) => ({ type: "object", properties: { a: REFERENCES, b: { maxLength: 9 - version } } }),
  ],
  [
    "a product of many alternatives",
    (version) => ({
      allOf: Array.from({ length: 20 }, (_, n) => ({
        oneOf: Array.from({ length: 20 }, (_each, m) => ({
          properties: { [`p${n}`]: { const: m + (n === 7 ? version : 0) } },
        })),
      })),
    }),
  ],
  [
    "a list of twenty thousand values",
    (version) => ({ enum: Array.from({ length: 20_000 - version }, (_, n) => `value-${n}`) }),
  ],
  ["a pattern that takes exponential time", (version) => ({ pattern: `^(a+)+${"b".repeat(version)}$` })],
])("ends within its limits for schemas that are %s", async (_, schema) => {
  const run = await changedRun(schema);
  await comparer.run();
  const { status, counts } = await comparisonOf(run);
  expect(status).toBe("compared");
  expect((counts?.breaking ?? 0) + (counts?.maybe ?? 0)).toBeGreaterThan(0);
});
