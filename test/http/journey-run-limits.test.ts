import { afterAll, beforeAll, expect, it } from "vitest";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const PATH = "ping.journey.yaml";
const { waitingMax, startedPerHourMax } = JOURNEY_RUN_LIMITS;

let stack: Stack;
let environmentId: string;
beforeAll(async () => {
  // Its worker carries out no journeys: they wait.
  stack = await startStack();
  await storeDocument(stack, { path: PATH, text: journeyText("Ping") });
  const { body } = await stack.http.post<{ id: string }>("/api/environments", { name: "test" });
  environmentId = body.id;
});
afterAll(() => stack[Symbol.asyncDispose]());

const start = () => stack.http.post<{ runId: string }>("/api/journey-runs", { path: PATH, environmentId });

/** Runs like one that was started, as if they were started before. */
async function addRuns(runId: string, count: number, { waiting }: { waiting: boolean }): Promise<void> {
  await query(
    stack,
    `WITH copies AS (
       INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision,
         artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id)
       SELECT organization_id, gen_random_uuid(), document_id, document_version, environment_id, environment_revision,
         artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id
       FROM journey_runs, generate_series(1, $2) WHERE id = $1
       RETURNING organization_id, id)
     INSERT INTO journey_run_tickets (organization_id, run_id, expires_at, is_claimed)
     SELECT organization_id, id, now() + interval '1 hour', NOT $3 FROM copies`,
    [runId, count, waiting],
  );
}

it("an organization has 200 runs that wait and starts 600 an hour, to the run, however many are started at once", async () => {
  const first = await start();
  expect(first.status).toBe(202);
  await addRuns(first.body.runId, waitingMax - 6, { waiting: true });
  const answers = await Promise.all(Array.from({ length: 12 }, start));
  const refused = answers.filter(({ status }) => status !== 202);
  expect(answers.length - refused.length).toBe(5);
  for (const answer of refused) {
    expect(errorOf(answer)).toMatchObject({
      status: 429,
      code: "quota_exceeded",
      message: expect.stringContaining(`${waitingMax} journeys of an organization wait`),
    });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }

  await query(
    stack,
    "UPDATE journey_run_tickets SET is_claimed = true, available_at = now() + interval '1 hour'",
  );
  await addRuns(first.body.runId, startedPerHourMax - waitingMax - 3, { waiting: false });
  const more = await Promise.all(Array.from({ length: 8 }, start));
  expect(more.filter(({ status }) => status === 202)).toHaveLength(3);
  for (const answer of more.filter(({ status }) => status !== 202)) {
    expect(errorOf(answer)).toMatchObject({
      status: 429,
      code: "quota_exceeded",
      message: expect.stringContaining(
        `${startedPerHourMax} journeys of an organization were started within an hour`,
      ),
    });
  }
  await query(stack, "UPDATE journey_runs SET created_at = now() - interval '61 minutes' WHERE id = $1", [
    first.body.runId,
  ]);
  expect((await start()).status).toBe(202);
  expect((await start()).status).toBe(429);
});
