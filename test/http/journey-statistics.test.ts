// How the last runs of a journey went.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { JourneyStatistics } from "@waymark/shared/journey-runs/statistics/schema.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { ARTIFACT } from "@waymark/test-support/stored-journeys.ts";

let stack: Stack;
const environments: string[] = [];
beforeAll(async () => {
  announceSeed();
  stack = await startStack();
  for (const name of ["test", "staging"])
    environments.push((await stack.http.post<{ id: string }>("/api/environments", { name })).body.id);
});
afterAll(() => stack[Symbol.asyncDispose]());

async function newJourney(): Promise<string> {
  const title = `Journey ${randomUUID()}`;
  const { id } = await storeDocument(stack, {
    path: `${randomUUID()}.journey.yaml`,
    text: journeyText(title),
  });
  await query(
    stack,
    "INSERT INTO blobs (organization_id, hash, size, bytes) VALUES ($1, $2, 8, 'artifact') ON CONFLICT DO NOTHING",
    [stack.organizationId, ARTIFACT],
  );
  return id;
}

interface ModelRun {
  status: "passed" | "failed" | "error" | "aborted";
  environment?: number;
  revision?: number;
  program?: string;
  inputs?: string;
  strict?: boolean;
  /** The status of each step; of one of another workflow than the first one, by both names: `pay/send`. */
  steps: Record<string, "passed" | "failed" | "timedOut" | "error" | "skipped">;
}

/** Stores runs as they end, the first one first and a minute apart. Each takes 1 s, and its steps 10 ms. Returns their ids. */
async function storeRuns(journeyId: string, runs: readonly ModelRun[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, { status, steps, ...run }] of runs.entries()) {
    const { environment = 0, revision = 1, program = "p", inputs = "{}", strict = false } = run;
    const id = randomUUID();
    ids.push(id);
    await query(
      stack,
      `INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision, artifact_hash,
         program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id, created_at, started_at, ended_at, outcome_digest,
         kept)
       SELECT $1, $2, $3, 1, $4, $5, $6, $7, 'cloud', 'api', $8, $9, 's', $10, $3, t.at, t.at, t.at + interval '1 second', '', 'run'
       FROM (SELECT now() - $11 * interval '1 minute' AS at) t`,
      [
        stack.organizationId,
        id,
        journeyId,
        environments[environment],
        revision,
        ARTIFACT,
        program,
        status,
        inputs,
        strict,
        runs.length - index,
      ],
    );
    for (const [seq, [step, result]] of Object.entries(steps).entries())
      await storeStep(id, { seq, step, result });
  }
  return ids;
}

async function storeStep(
  runId: string,
  { seq, step, result, phase = "main" }: { seq: number; step: string; result: string; phase?: string },
): Promise<void> {
  const [stepId, workflow = null] = step.split("/").toReversed();
  await query(
    stack,
    `INSERT INTO journey_run_steps (organization_id, run_id, seq, attempt, workflow, step_id, phase, status, ms, result)
     VALUES ($1, $2, $3, 1, $4, $5, $6, $7, 10, '{}')`,
    [stack.organizationId, runId, seq, workflow, stepId, phase, result],
  );
}

async function statisticsOf(journeyId: string, more = ""): Promise<JourneyStatistics> {
  const path = `/api/journey-statistics?journeyId=${journeyId}${more}`;
  return (await stack.http.get<JourneyStatistics>(path)).body;
}

const FAILED: ReadonlySet<string> = new Set(["failed", "timedOut"]);

const flakyOf = ({ steps }: JourneyStatistics) =>
  Object.fromEntries(steps.map(({ stepId, flakyCount }) => [stepId, flakyCount]));

it("a step is flaky that failed and passed in the next run of the same program, environment, inputs and handling of contracts", async () => {
  const journeyId = await newJourney();
  const failed = { status: "failed", steps: { read: "passed", write: "failed" } } as const;
  const passed = { status: "passed", steps: { read: "passed", write: "passed" } } as const;
  await storeRuns(journeyId, [failed, passed, failed, failed, passed, passed]);
  expect(await statisticsOf(journeyId)).toMatchObject({
    runs: [passed, passed, failed, failed, passed, failed].map(({ status }) => ({ status, ms: 1000 })),
    steps: [
      { stepId: "read", workflow: null, runCount: 6, passedCount: 6, flakyCount: 0, medianMs: 10 },
      { stepId: "write", workflow: null, runCount: 6, passedCount: 3, flakyCount: 2, medianMs: 10 },
    ],
  });
  for (const change of [
    { program: "q" },
    { inputs: '{"a":1}' },
    { environment: 1 },
    { revision: 2 },
    { strict: true },
  ]) {
    const other = await newJourney();
    await storeRuns(other, [failed, { ...passed, ...change }]);
    expect(flakyOf(await statisticsOf(other))).toEqual({ read: 0, write: 0 });
  }
});

it("a step is flaky only where the run is: not by what an error says, and not over a run that did not come to it", async () => {
  const failed = { status: "failed", steps: { read: "passed", write: "failed" } } as const;
  const passed = { status: "passed", steps: { read: "passed", write: "passed" } } as const;
  const broken = { status: "error", steps: { read: "passed", write: "error" } } as const;
  const early = { status: "failed", steps: { read: "failed", write: "skipped" } } as const;
  const cases: [runs: ModelRun[], flaky: Record<string, number>][] = [
    [[broken, passed], { read: 0, write: 0 }],
    [[{ ...failed, status: "error" }, passed], { read: 0, write: 0 }],
    [[failed, broken, passed], { read: 0, write: 1 }],
    [[failed, early, passed], { read: 1, write: 0 }],
    [[{ ...failed, steps: { read: "passed", write: "timedOut" } }, passed], { read: 0, write: 1 }],
  ];
  for (const [runs, flaky] of cases) {
    const journeyId = await newJourney();
    const ids = await storeRuns(journeyId, runs);
    expect(flakyOf(await statisticsOf(journeyId))).toEqual(flaky);
    const last = await stack.http.get<{ flakyWith: string | null }>(`/api/journey-runs/${ids.at(-1)}`);
    expect(last.body.flakyWith !== null).toBe(Object.values(flaky).includes(1));
  }
});

it("a step that a run came to several times has passed if it did each time, and steps of the teardown don't count", async () => {
  const journeyId = await newJourney();
  const [runId = ""] = await storeRuns(journeyId, [{ status: "failed", steps: { read: "passed" } }]);
  await storeStep(runId, { seq: 1, step: "read", result: "failed" });
  await storeStep(runId, { seq: 2, step: "read", result: "passed" });
  await storeStep(runId, { seq: 3, step: "clean", result: "passed", phase: "teardown" });
  expect((await statisticsOf(journeyId)).steps).toEqual([
    { workflow: null, stepId: "read", runCount: 1, passedCount: 0, flakyCount: 0, medianMs: 30 },
  ]);
});

it("steps of two workflows are counted apart, also with the same name", async () => {
  const journeyId = await newJourney();
  await storeRuns(journeyId, [
    { status: "failed", steps: { send: "failed", "pay/send": "passed" } },
    { status: "failed", steps: { send: "failed", "pay/send": "passed" } },
  ]);
  expect((await statisticsOf(journeyId)).steps).toMatchObject([
    { workflow: null, stepId: "send", runCount: 2, passedCount: 0, flakyCount: 0 },
    { workflow: "pay", stepId: "send", runCount: 2, passedCount: 2, flakyCount: 0 },
  ]);
});

it("counts as plain objects do, also in one environment", async () => {
  const random = createRandom("statistics of journeys");
  const statuses = ["passed", "passed", "failed", "timedOut", "error", "skipped"] as const;
  for (let round = 0; round < scaled({ short: 2, long: 40 }); round++) {
    const journeyId = await newJourney();
    const runs = Array.from({ length: 30 }, (): ModelRun => {
      const steps = { a: random.pick(statuses), b: random.pick(statuses) };
      const status = random.pick(["passed", "failed", "error", "aborted"] as const);
      return { status, environment: random.integer(0, 1), program: random.pick(["p", "q"] as const), steps };
    });
    await storeRuns(journeyId, runs);
    for (const environment of [undefined, 0, 1]) {
      const counted = runs.filter(
        (run) => run.status !== "aborted" && (environment === undefined || run.environment === environment),
      );
      const search = environment === undefined ? "" : `&environmentId=${environments[environment]}`;
      const { runs: listed, steps } = await statisticsOf(journeyId, search);
      expect(listed.map(({ status }) => status)).toEqual(counted.toReversed().map(({ status }) => status));
      for (const stepId of ["a", "b"]) {
        const reached = counted.filter((run) => run.steps[stepId] !== "skipped");
        const judged = counted.filter(({ status }) => status !== "error");
        const flaky = judged.filter((run, index) => {
          const next = judged
            .slice(index + 1)
            .find((one) => one.environment === run.environment && one.program === run.program);
          return FAILED.has(run.steps[stepId] ?? "") && next?.steps[stepId] === "passed";
        });
        expect(steps.find((step) => step.stepId === stepId)).toMatchObject({
          runCount: reached.length,
          passedCount: reached.filter((run) => run.steps[stepId] === "passed").length,
          flakyCount: flaky.length,
        });
      }
    }
  }
});

it("reads the last hundred runs only, and nothing for who may not read the journey", async () => {
  const journeyId = await newJourney();
  const run = (status: "passed" | "failed"): ModelRun => ({ status, steps: {} });
  await storeRuns(journeyId, [
    ...Array.from({ length: 3 }, () => run("failed")),
    ...Array.from({ length: 100 }, () => run("passed")),
  ]);
  const { runs } = await statisticsOf(journeyId);
  expect(runs).toHaveLength(100);
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["passed"]));
  const other = await newJourney();
  const scope = { permission: "journeys:read", workflowId: other };
  const get = async (id: string, key: string) =>
    stack.http.get(`/api/journey-statistics?journeyId=${id}`, { key });
  const limited = await createKey(stack, [scope]);
  expect((await get(other, limited)).status).toBe(200);
  expect((await get(journeyId, limited)).status).toBe(403);
  expect((await get(randomUUID(), limited)).status).toBe(403);
  expect(await statisticsOf(randomUUID())).toEqual({ runs: [], steps: [] });
}, 120_000);
