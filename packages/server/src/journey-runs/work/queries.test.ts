import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { addJourneyOrganization, addJourneyRun, hashOf } from "@waymark/test-support/stored-journeys.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createPgPool, type PgPool } from "../../db/pool.ts";
import { sampleBacklog } from "../../observability/queries.ts";
import type { StepRow } from "../ending/step-rows.ts";
import {
  claimJourneyRuns,
  findJourneyRunWork,
  finishJourneyRun,
  type HeldRun,
  type JourneyRunEnd,
  releaseJourneyRun,
  renewJourneyRuns,
  writeJourneyProgress,
} from "./queries.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const FIRST = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const SECOND = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

let database: TestDatabase;
let pool: PgPool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPgPool(serviceUrl(database.databaseUrl), {
    max: 4,
    applicationName: "test",
    onError: () => undefined,
  });
  for (const organizationId of [FIRST, SECOND]) await addJourneyOrganization(database, organizationId);
});
beforeEach(async () => {
  for (const table of ["tickets", "steps", "operations", "criteria"])
    await query(database, `DELETE FROM journey_run_${table}`);
  await query(database, "DELETE FROM journey_runs");
});
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

function addRun(organizationId: string, options: { expired?: boolean } = {}): Promise<string> {
  return addJourneyRun(database, { organizationId, ...options });
}

async function claim({ after = NIL_UUID, runsMax = 1, leaseMs = 60_000 } = {}) {
  const runs = await claimJourneyRuns(pool, { afterOrganizationId: after, runsMax, leaseMs });
  return runs.map(({ claimed }) => claimed);
}

async function claimOne(options: Parameters<typeof claim>[0] = {}): Promise<HeldRun> {
  const [run] = await claim(options);
  if (run === undefined) throw new Error("there was nothing to claim");
  return run;
}

async function loseLease(runId: string): Promise<void> {
  await query(database, "UPDATE journey_run_tickets SET available_at = now() WHERE run_id = $1", [runId]);
}

async function rowOf(runId: string): Promise<Record<string, unknown> | undefined> {
  return (
    await query<Record<string, unknown>>(database, "SELECT * FROM journey_runs WHERE id = $1", [runId])
  )[0];
}

const STEP: StepRow = {
  seq: 0,
  stepId: "create",
  phase: "main",
  workflow: null,
  status: "passed",
  ms: 1.5,
  result: String.raw`{"id":"create","text":"\u0000 and \"quotes\""}`,
  evidence: null,
};

const END: JourneyRunEnd = {
  outcome: { status: "passed", stepCount: 1, passedStepCount: 1, outcomeDigest: "sha256:0" },
  result: { hash: hashOf("result"), size: 6, bytes: Buffer.from("result") },
  steps: [STEP],
  operations: [{ source: "a", method: "GET", path: "/", calls: 1, statuses: [200, 404], asserted: true }],
  criteria: [
    { id: "AC-1", status: "proven" },
    { id: "unknown", status: "proven" },
  ],
};

describe("claiming", () => {
  it("goes round the organizations, whatever one has waiting", async () => {
    for (let n = 0; n < 20; n++) await addRun(FIRST);
    await addRun(SECOND);
    const order: string[] = [];
    for (let after = NIL_UUID; order.length < 3;) {
      const run = await claimOne({ after });
      order.push((after = run.organizationId));
    }
    expect(order).toEqual([FIRST, SECOND, FIRST]);
  });

  it("passes over an organization that has ten runs in work", async () => {
    for (let n = 0; n < 12; n++) await addRun(FIRST);
    expect(await claim({ runsMax: 50 })).toHaveLength(10);
    expect(await claim({ runsMax: 50 })).toEqual([]);
    await addRun(SECOND);
    expect(await claimOne({ runsMax: 50 })).toMatchObject({ organizationId: SECOND });
  });

  it("gives a run to one of two workers that claim at the same moment", async () => {
    for (let n = 0; n < 5; n++) await addRun(FIRST);
    const claimed = (await Promise.all([1, 2, 3, 4].map(() => claim({ runsMax: 5 })))).flat();
    expect(new Set(claimed.map((run) => run.runId)).size).toBe(claimed.length);
    expect(claimed).toHaveLength(5);
  });

  it("gives an organization ten runs and no more, however many workers claim at the same moment", async () => {
    for (let n = 0; n < 30; n++) await addRun(FIRST);
    const claimed = await Promise.all(Array.from({ length: 12 }, () => claim({ runsMax: 3 })));
    expect(claimed.flat()).toHaveLength(10);
  });

  it("ends a run that was given back before it began, and has waited too long", async () => {
    const runId = await addRun(FIRST);
    await releaseJourneyRun(pool, await claimOne());
    await query(database, "UPDATE journey_run_tickets SET expires_at = now() WHERE run_id = $1", [runId]);
    expect(await claimOne({ runsMax: 0 })).toMatchObject({ runId, toEnd: "queue-expired" });
  });

  it("begins a run, and says of a run whose lease ran out that its worker was lost", async () => {
    const runId = await addRun(FIRST);
    expect(await claimOne()).toMatchObject({ runId, attempt: 1, lostWorkers: 0, toEnd: null });
    expect(await rowOf(runId)).toMatchObject({ status: "running", phase: "main" });
    expect(await claim()).toEqual([]);
    await loseLease(runId);
    expect(await claimOne()).toMatchObject({ runId, attempt: 2, lostWorkers: 1 });
    expect(await rowOf(runId)).toMatchObject({ status: "running", phase: "recovery" });
  });

  it("goes on with a run that was given back, as nobody was lost", async () => {
    const runId = await addRun(FIRST);
    const held = await claimOne();
    await writeJourneyProgress(pool, held, {
      steps: [STEP],
      currentStep: "next",
      checkpoint: Buffer.from("state"),
    });
    expect(await releaseJourneyRun(pool, held)).toBe(true);
    expect(await rowOf(runId)).toMatchObject({ status: "queued", current_step: null });
    const [again] = await claimJourneyRuns(pool, {
      afterOrganizationId: NIL_UUID,
      runsMax: 1,
      leaseMs: 60_000,
    });
    expect(again?.claimed).toMatchObject({ runId, attempt: 2, lostWorkers: 0 });
    const work = again?.work;
    expect(work?.checkpoint?.toString()).toBe("state");
    expect(work?.steps).toEqual([{ result: STEP.result, evidence: null }]);
    expect(work).toMatchObject({ allowedHosts: ["api.example"], storesBodies: true });
    expect(await rowOf(runId)).toMatchObject({ phase: "main" });
  });

  it("claims runs that only have to be ended, even for a worker without a free slot", async () => {
    const [cancelled, expired, waiting] = [
      await addRun(FIRST),
      await addRun(FIRST, { expired: true }),
      await addRun(FIRST),
    ];
    await asService(FIRST, "SELECT cancel_journey_run($1, $2)", [FIRST, cancelled]);
    const claimed = await claim({ runsMax: 0 });
    expect(new Map(claimed.map((run) => [run.runId, run.toEnd]))).toEqual(
      new Map([
        [cancelled, "cancelled"],
        [expired, "queue-expired"],
      ]),
    );
    expect(await claimOne()).toMatchObject({ runId: waiting, toEnd: null });
  });
});

async function asService(organizationId: string, text: string, values: unknown[]) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT set_config('waymark.organization_id', $1, true)", [organizationId]);
    const { rows } = await client.query<Record<string, unknown>>(text, values);
    await client.query("COMMIT");
    return rows;
  } finally {
    client.release();
  }
}

describe("the fence", () => {
  it("lets a worker that lost a run write, extend, release and finish nothing", async () => {
    const runId = await addRun(FIRST);
    const old = await claimOne();
    await loseLease(runId);
    const current = await claimOne();
    const progress = { steps: [STEP], currentStep: null, checkpoint: Buffer.from("old") };
    expect(await writeJourneyProgress(pool, old, progress)).toBe(false);
    expect(await renewJourneyRuns(pool, { runs: [old], leaseMs: 60_000 })).toEqual(new Map());
    expect(await releaseJourneyRun(pool, old)).toBe(false);
    expect(await finishJourneyRun(pool, old, END)).toBe(false);
    expect(await findJourneyRunWork(pool, old)).toBeUndefined();
    expect(await findJourneyRunWork(pool, current)).toMatchObject({ checkpoint: null, steps: [] });
    expect(await rowOf(runId)).toMatchObject({ status: "running", result_hash: null });
  });

  it("keeps a lease that is renewed, and tells of a cancellation", async () => {
    const runId = await addRun(FIRST);
    const held = await claimOne({ leaseMs: 60_000 });
    await asService(FIRST, "SELECT cancel_journey_run($1, $2)", [FIRST, runId]);
    expect(await claim()).toEqual([]);
    expect(await renewJourneyRuns(pool, { runs: [held], leaseMs: 600_000 })).toEqual(
      new Map([[runId, { isCancelled: true }]]),
    );
    // As if the first lease had ended.
    const older = "UPDATE journey_run_tickets SET available_at = available_at - interval '1 minute'";
    await query(database, `${older} WHERE run_id = $1`, [runId]);
    expect(await claim()).toEqual([]);
  });
});

describe("the end of a run", () => {
  it("stores the result with its facts, once, and deletes the ticket", async () => {
    const runId = await addRun(FIRST);
    const held = await claimOne();
    await writeJourneyProgress(pool, held, { steps: [STEP], currentStep: "create", checkpoint: null });
    const changed = { ...STEP, result: `{"id":"create","text":"[redacted]"}` };
    expect(await finishJourneyRun(pool, held, { ...END, steps: [changed] })).toBe(true);
    expect(await finishJourneyRun(pool, held, END)).toBe(false);
    expect(await rowOf(runId)).toMatchObject({
      status: "passed",
      result_hash: END.result.hash,
      current_step: null,
    });
    expect(await query(database, "SELECT result FROM journey_run_steps WHERE run_id = $1", [runId])).toEqual([
      { result: changed.result },
    ]);
    expect(
      await query(database, "SELECT calls, statuses FROM journey_run_operations WHERE run_id = $1", [runId]),
    ).toEqual([{ calls: 1, statuses: [200, 404] }]);
    expect(
      await query(database, "SELECT criterion_id, status FROM journey_run_criteria WHERE run_id = $1", [
        runId,
      ]),
    ).toEqual([{ criterion_id: "AC-1", status: "proven" }]);
    expect(await query(database, "SELECT FROM journey_run_tickets WHERE run_id = $1", [runId])).toEqual([]);
  });

  it("is final: nothing changes a run that has ended, and none ends without a result", async () => {
    const runId = await addRun(FIRST);
    await finishJourneyRun(pool, await claimOne(), END);
    await expect(
      query(database, "UPDATE journey_runs SET status = 'failed' WHERE id = $1", [runId]),
    ).rejects.toThrow(/not changed any more/);
    const other = await addRun(FIRST);
    await expect(
      query(database, "UPDATE journey_runs SET status = 'passed', ended_at = now() WHERE id = $1", [other]),
    ).rejects.toThrow(/check constraint/);
  });
});

describe("limits of an organization", () => {
  it("names the limit that another run would exceed", async () => {
    const exceeded = async (waitingMax: number, hourlyMax: number) =>
      (
        await asService(FIRST, "SELECT exceeded_journey_run_limit($1, $2, $3) AS name", [
          FIRST,
          waitingMax,
          hourlyMax,
        ])
      )[0]?.["name"];
    await addRun(FIRST);
    await addRun(SECOND);
    expect(await exceeded(2, 2)).toBeNull();
    expect(await exceeded(1, 2)).toBe("journeyRunsWaiting");
    await claimOne();
    expect(await exceeded(1, 2)).toBeNull();
    expect(await exceeded(1, 1)).toBe("journeyRunsPerHour");
  });
});

describe("the backlog of journeys", () => {
  const sample = async () => (await sampleBacklog(pool, { journeysRunningMax: 2 })).journeys;

  it("counts runs that have not ended and those that wait, and says for how long the oldest has that a worker could take", async () => {
    expect(await sample()).toEqual({ unfinished: 0, waiting: 0, oldestWaitingSeconds: 0 });
    for (let n = 0; n < 3; n++) await addRun(FIRST);
    await addRun(SECOND);
    const age = (organizationId: string, seconds: number) =>
      query(
        database,
        `UPDATE journey_run_tickets SET available_at = now() - $2 * interval '1 second'
         WHERE organization_id = $1 AND NOT is_claimed`,
        [organizationId, seconds],
      );
    await age(FIRST, 3_600);
    await age(SECOND, 30);
    const waiting = await sample();
    expect(waiting).toMatchObject({ unfinished: 4, waiting: 4 });
    expect(waiting.oldestWaitingSeconds).toBeGreaterThanOrEqual(3_600);
    // The first organization has two at work then, which is all that it may have here.
    for (let n = 0; n < 2; n++) {
      await claimJourneyRuns(pool, { afterOrganizationId: SECOND, runsMax: 1, leaseMs: 60_000 });
    }
    const busy = await sample();
    expect(busy).toMatchObject({ unfinished: 4, waiting: 2 });
    expect(busy.oldestWaitingSeconds).toBeGreaterThanOrEqual(30);
    expect(busy.oldestWaitingSeconds).toBeLessThan(3_600);
  });
});
