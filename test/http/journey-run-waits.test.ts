import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { WAIT_LIMITS } from "@waymark/shared/operations/limits.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { type CountedStack, startCountedStack } from "@waymark/test-support/postgres/counted-stack.ts";
import { thingsJourney } from "@waymark/test-support/journey-target.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

interface Steps {
  steps: { seq: number }[];
  isFinal: boolean;
}

// Its worker carries out no journeys: a run that is started waits.
let started: CountedStack;
let stack: CountedStack["stack"];
let counted: CountedStack["counted"];
let api: CountedStack["api"];
let http: CountedStack["http"];
let environmentId: string;
beforeAll(async () => {
  started = await startCountedStack();
  ({ stack, counted, api, http } = started);
  for (const [path, text] of Object.entries(thingsJourney())) await storeDocument(stack, { path, text });
  const servers = { things: "https://things.example" };
  const created = await http.post<{ id: string }>("/api/environments", { name: "test", servers });
  environmentId = created.body.id;
});
afterAll(() => started[Symbol.asyncDispose]());

async function startRun(): Promise<string> {
  const run = { path: "things.journey.yaml", environmentId, inputs: { run: crypto.randomUUID() } };
  const { body, text } = await http.post<{ runId: string }>("/api/journey-runs", run);
  if (body.runId === undefined) throw new Error(text);
  return body.runId;
}

const stepsOf = (runId: string, waitSeconds: number) =>
  `/api/journey-runs/${runId}/steps?after=-1&waitSeconds=${waitSeconds}`;

const writeStep = (runId: string) =>
  query(
    stack,
    `INSERT INTO journey_run_steps (organization_id, run_id, seq, attempt, step_id, phase, status, ms, result)
     VALUES ($1, $2, 0, 1, 'add', 'main', 'passed', 1, '{"id": "add", "status": "passed"}')`,
    [stack.organizationId, runId],
  );

/** Sends the request until it is answered otherwise than with 429. */
const whenAdmitted = async (path: string, key: string) => {
  let answer = await http.get<Steps>(path, { key });
  await waitUntil("a free place to wait", async () => {
    answer = await http.get<Steps>(path, { key });
    return answer.status !== 429;
  });
  return answer;
};

it("requests that wait share the reads of how far their runs are", async () => {
  const runs = [await startRun(), await startRun()];
  const requests = Array.from({ length: 20 }, (_, index) => runs[index % 2] ?? "");
  const before = counted.queriesOf("read_journey_run_progress");
  const answers = await Promise.all(requests.map((runId) => http.get<Steps>(stepsOf(runId, 2))));
  expect(answers.map(({ body }) => body)).toEqual(
    requests.map(() => ({ steps: [], status: "queued", currentStep: null, isFinal: false })),
  );
  // One of both runs every 250 ms, and some more where a busy machine lets the requests wait at different times. Reads of their
  // own would be 160.
  const reads = counted.queriesOf("read_journey_run_progress") - before;
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(40);
});

it("all requests that wait for a step get it, and those for other runs wait on", async () => {
  const [runId, other] = [await startRun(), await startRun()];
  const waiting = Array.from({ length: 10 }, () => http.get<Steps>(stepsOf(runId, 20)));
  const idle = http.get<Steps>(stepsOf(other, 3));
  await writeStep(runId);
  for (const { body } of await Promise.all(waiting)) {
    expect(body.steps).toMatchObject([{ seq: 0 }]);
  }
  expect((await idle).body.steps).toEqual([]);
});

it("a key whose limit of waits is reached gets 429 until one of them ends", async () => {
  const runId = await startRun();
  const key = await createKey(stack, ["journeys:read"]);
  const url = new URL(stepsOf(runId, 20), api.baseUrl);
  const headers = { authorization: `Bearer ${key}` };
  const waits = Array.from({ length: WAIT_LIMITS.keyMax + 1 }, () => {
    const request = get(url, { headers });
    request.on("error", () => undefined);
    return request;
  });
  const refused = await Promise.race(
    waits.map(async (request) => {
      const [response]: IncomingMessage[] = await once(request, "response");
      return { request, response: response?.resume() };
    }),
  );
  expect(refused.response?.statusCode).toBe(429);
  expect(Number(refused.response?.headers["retry-after"])).toBeGreaterThan(0);
  const error = errorOf(await http.get(stepsOf(runId, 1), { key }));
  expect(error).toMatchObject({ code: "rate_limited" });
  expect(error.message).toContain(String(WAIT_LIMITS.keyMax));
  // Requests that don't wait, and other keys, are not limited by it.
  expect((await http.get(stepsOf(runId, 0), { key })).status).toBe(200);
  const other = await createKey(stack, ["journeys:read"]);
  expect((await http.get(stepsOf(runId, 1), { key: other })).status).toBe(200);
  waits.find((request) => request !== refused.request)?.destroy();
  expect((await whenAdmitted(stepsOf(runId, 1), key)).status).toBe(200);
  for (const request of waits) request.destroy();
});

it("the server's limits name those of waits", async () => {
  const { body } = await http.get<{ waits: object }>("/api/limits");
  expect(body.waits).toEqual(WAIT_LIMITS);
});
