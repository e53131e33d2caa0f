import { afterAll, beforeAll, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import {
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack, startWorker } from "@waymark/test-support/stack.ts";

let target: JourneyTarget;
let stack: Stack;
beforeAll(async () => {
  target = await startJourneyTarget();
  stack = await startStack({
    workerEnv: { WORKER_ROLES: "journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
  });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

async function endedRun(): Promise<string> {
  for (const [path, text] of Object.entries(thingsJourney())) await storeDocument(stack, { path, text });
  const servers = { things: target.url };
  const { body: environment } = await stack.http.post<{ id: string }>("/api/environments", {
    name: "test",
    servers,
  });
  const request = { path: "things.journey.yaml", environmentId: environment.id, inputs: { run: "r" } };
  const { body } = await stack.http.post<{ runId: string }>("/api/journey-runs", request);
  await expect
    .poll(async () => (await run(body.runId)).body.endedAt, { timeout: 30_000 })
    .toEqual(expect.any(String));
  return body.runId;
}

const run = (id: string) =>
  stack.http.get<{ endedAt: string | null; kept: string; status: string }>(`/api/journey-runs/${id}`);

async function makeOlder(days: number): Promise<void> {
  await query(stack, "ALTER TABLE journey_runs DISABLE TRIGGER kept_when_final");
  await query(stack, `UPDATE journey_runs SET ended_at = now() - interval '${days} days'`);
  await query(stack, "ALTER TABLE journey_runs ENABLE TRIGGER kept_when_final");
}

it("a worker deletes evidence, then steps and result, then the run, each after its days", async () => {
  const id = await endedRun();
  await stack.worker.stop();
  stack.worker = await startWorker({
    ...stack,
    env: {
      WORKER_HOUSEKEEPING_MS: "100",
      RETENTION_EVIDENCE_DAYS: "3",
      RETENTION_RESULT_DAYS: "6",
      RETENTION_JOURNEY_RUN_DAYS: "9",
    },
  });
  expect((await run(id)).body.kept).toBe("evidence");
  expect((await stack.http.get(`/api/journey-runs/${id}/steps/0`)).text).toContain('"evidence"');

  await makeOlder(4);
  await expect.poll(async () => (await run(id)).body.kept).toBe("result");
  const step = await stack.http.get(`/api/journey-runs/${id}/steps/0`);
  expect(step.status).toBe(200);
  expect(step.text).not.toContain('"evidence"');
  expect((await stack.http.get(`/api/journey-runs/${id}/reports/junit`)).text).toContain("<testsuite");

  await makeOlder(7);
  await expect.poll(async () => (await run(id)).body.kept).toBe("run");
  expect((await run(id)).body.status).toBe("passed");
  const result = await stack.http.get(`/api/journey-runs/${id}/result`);
  expect(errorOf(result)).toMatchObject({
    status: 404,
    message: expect.stringContaining("deleted for its age"),
  });
  const steps = await stack.http.get(`/api/journey-runs/${id}/steps?waitSeconds=20`);
  expect(steps.body).toMatchObject({ steps: [], isFinal: true, status: "passed" });

  await makeOlder(10);
  await expect.poll(async () => (await run(id)).status).toBe(404);
  expect(await query(stack, "SELECT FROM journey_run_operations")).toEqual([]);
});
