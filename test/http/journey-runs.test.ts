import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import {
  failingJourney,
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { storeDocument, waitForJourneyRun } from "@waymark/test-support/journeys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const PATH = "things.journey.yaml";
const SECRET = "s3cret-value-of-the-environment";

const SECRET_JOURNEY = (url: string) => `arazzo: 1.1.0
info: { title: Secret, version: 1.0.0 }
sourceDescriptions: []
workflows:
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    x-journey: { secrets: { token: { ref: env:TOKEN } } }
    steps:
      - stepId: send
        x-operation: { url: "${url}/things", method: post }
        parameters: [{ name: X-Api-Key, in: header, value: $inputs.token }]
        successCriteria: [{ x-id: made, condition: $statusCode == 201 }]
`;

interface Run {
  status: string;
  error: { code: string; message: string } | null;
  stepCount: number;
  creator: object | null;
  rerunOf: string | null;
  trigger: string;
  seed: string;
  flakyWith: string | null;
}

let target: JourneyTarget;
let stack: Stack;
let environmentId: string;
beforeAll(async () => {
  target = await startJourneyTarget();
  const JOURNEY_KEYS = `k1:${randomBytes(32).toString("base64")}`;
  stack = await startStack({
    apiEnv: { JOURNEY_KEYS },
    workerEnv: {
      JOURNEY_KEYS,
      WORKER_ROLES: "journeys",
      JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}`,
    },
  });
  for (const [path, text] of Object.entries(thingsJourney())) await storeDocument(stack, { path, text });
  environmentId = await createEnvironment("test");
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

async function createEnvironment(name: string, more: Record<string, unknown> = {}): Promise<string> {
  const { body, text } = await stack.http.post<{ id: string }>("/api/environments", {
    name,
    servers: { things: target.url },
    ...more,
  });
  if (body.id === undefined) throw new Error(text);
  return body.id;
}

const start = (body: Record<string, unknown> = {}) =>
  stack.http.post<{ runId: string; programId: string; resultUrl: string; artifact: string }>(
    "/api/journey-runs",
    {
      path: PATH,
      environmentId,
      inputs: { run: "r" },
      ...body,
    },
  );

const ended = (runId: string) => waitForJourneyRun<Run>(stack, runId);

describe("a run of a journey", () => {
  it("is accepted, carried out and told of: its steps, its result and its reports", async () => {
    const { status, body } = await start();
    expect(status).toBe(202);
    const run = await ended(body.runId);
    expect(run).toMatchObject({ status: "passed", error: null, stepCount: 7, trigger: "api" });
    const url = `/api/journey-runs/${body.runId}`;
    const steps = await stack.http.get<{
      steps: { seq: number; result: { id: string; evidence?: object } }[];
    }>(`${url}/steps?after=1`);
    expect(steps.body.steps.map(({ seq, result }) => `${seq} ${result.id}`)).toEqual([
      "2 add1",
      "3 add2",
      "4 read",
      "5 remove",
      "6 remove",
    ]);
    expect(steps.body.steps[0]?.result.evidence).toBeUndefined();
    const step = await stack.http.get<{ result: { evidence?: object } }>(`${url}/steps/0`);
    expect(step.body.result.evidence).toMatchObject({ response: { status: 201 } });
    const result = await stack.http.get<{ status: string; steps: object[] }>(`${url}/result`);
    expect(result.body).toMatchObject({ status: "passed", artifact: body.programId });
    expect(result.body.steps).toHaveLength(7);
    for (const [format, part] of Object.entries({
      json: '"passed"',
      junit: "<testsuite",
      html: "<html",
      har: '"log"',
      ctrf: '"results"',
    })) {
      const report = await stack.http.get(`${url}/reports/${format}`);
      expect(report.status).toBe(200);
      expect(report.text).toContain(part);
    }
    for (const path of [`${url}/result`, `${url}/reports/har`]) {
      const etag = (await stack.http.get(path)).headers.get("etag") ?? "";
      const again = await stack.http.get(path, { headers: { "if-none-match": etag } });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
      expect((await stack.http.get(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    }
    const listed = await stack.http.get<{ runs: { id: string }[] }>(`/api/journey-runs?status=passed`);
    expect(listed.body.runs.map(({ id }) => id)).toContain(body.runId);
  });

  it("names the person who started it, and nobody for a key of nobody", async () => {
    const { id, rawKey: key } = await storeUser(stack, { displayName: "Ada" });
    const body = { path: PATH, environmentId, inputs: { run: "r" } };
    const started = await stack.http.post<{ runId: string }>("/api/journey-runs", body, { key });
    const { body: other } = await start();
    const creatorOf = async (runId: string) =>
      (await stack.http.get<Run>(`/api/journey-runs/${runId}`)).body.creator;
    expect(await creatorOf(started.body.runId)).toEqual({ type: "user", id, displayName: "Ada" });
    expect(await creatorOf(other.runId)).toBeNull();
    for (const { runId } of [started.body, other]) await ended(runId);
  });

  it("is built once for the same documents and environment, and again for others", async () => {
    const builds = async () => (await query(stack, "SELECT FROM journey_builds")).length;
    const [first, second] = [await start(), await start()];
    expect(second.body.artifact).toBe(first.body.artifact);
    const before = await builds();
    await start();
    expect(await builds()).toBe(before);
    const other = await start({ environmentId: await createEnvironment("other") });
    expect(other.body.programId).not.toBe(first.body.programId);
    expect(await builds()).toBe(before + 1);
    const operations = await query(
      stack,
      "SELECT path_key FROM build_operations WHERE method = 'delete' OR method = 'DELETE'",
    );
    expect(operations).toContainEqual({ path_key: "/things/{}" });
  });

  it("is started once by a request that arrives twice, and by no other with the same Idempotency-Key", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const send = (inputs: object) =>
      stack.http.post<{ runId: string }>(
        "/api/journey-runs",
        { path: PATH, environmentId, inputs },
        { headers },
      );
    const [first, second] = await Promise.all([send({ run: "i" }), send({ run: "i" })]);
    expect(first.status).toBe(202);
    expect(second.body).toEqual(first.body);
    const other = await send({ run: "j" });
    expect(errorOf(other)).toMatchObject({ code: "idempotency_key_reused" });
    expect(await query(stack, "SELECT FROM journey_runs WHERE idempotency_key IS NOT NULL")).toHaveLength(1);
  });

  it("is flaky with a run of the same program, environment and inputs that failed directly before it passed", async () => {
    const { text, repair } = failingJourney(target);
    await storeDocument(stack, { path: "flaky.journey.yaml", text });
    const run = async (a: string) => {
      const { body } = await start({ path: "flaky.journey.yaml", inputs: { a } });
      return { ...(await ended(body.runId)), id: body.runId };
    };
    const flakyWith = async (runId: string) =>
      (await stack.http.get<{ flakyWith: string | null }>(`/api/journey-runs/${runId}`)).body.flakyWith;
    const first = await run("1");
    const second = await run("1");
    expect(second).toMatchObject({ status: "failed", flakyWith: null });
    repair();
    expect(await run("2")).toMatchObject({ status: "passed", flakyWith: null });
    const passed = await run("1");
    expect(passed).toMatchObject({ status: "passed", flakyWith: second.id });
    // Neither what failed twice in a row is, nor what passed twice.
    expect(await run("1")).toMatchObject({ status: "passed", flakyWith: null });
    expect(await flakyWith(second.id)).toBe(passed.id);
    expect(await flakyWith(first.id)).toBe(null);
  });

  it("can be repeated as a run of its own", async () => {
    const { body } = await start({ seed: "same" });
    await ended(body.runId);
    const again = await stack.http.post<{ runId: string }>(`/api/journey-runs/${body.runId}/rerun`, {
      sameSeed: true,
    });
    expect(again.status).toBe(202);
    expect(await ended(again.body.runId)).toMatchObject({
      status: "passed",
      rerunOf: body.runId,
      trigger: "rerun",
      seed: "same",
    });
  });

  it("is cancelled with its teardown", async () => {
    // Its steps would take a minute.
    const { [PATH]: text = "" } = thingsJourney({ events: 60 });
    await storeDocument(stack, { path: "long.journey.yaml", text });
    target.delayMs = 1_000;
    const { body } = await start({ path: "long.journey.yaml", inputs: { run: "cancelled" } });
    // The first step has ended: a thing whose id the run never got can't be torn down.
    await expect
      .poll(() => target.requests)
      .toContainEqual(expect.objectContaining({ run: "cancelled", step: "add0" }));
    const cancelled = await stack.http.post(`/api/journey-runs/${body.runId}/cancel`);
    expect(cancelled.status).toBe(202);
    expect(await ended(body.runId)).toMatchObject({ status: "aborted", error: { code: "cancelled" } });
    target.delayMs = 0;
    expect(target.left()).not.toContain("cancelled");
    expect((await stack.http.post(`/api/journey-runs/${body.runId}/cancel`)).status).toBe(202);
  });
});

describe("a run is refused", () => {
  const broken = "broken.journey.yaml";

  it.each([
    ["for a journey that is not there", { path: "none.yaml" }, 404, "not_found"],
    ["for a version that is not there", { version: 9 }, 404, "not_found"],
    ["for another program than expected", { expectProgram: "sha256:0" }, 409, "artifact_mismatch"],
    ["without a required input", { inputs: {} }, 422, "input_invalid"],
    ["with an input that the journey lacks", { inputs: { run: "r", rnu: "r" } }, 422, "input_invalid"],
    ["with an unknown field", { retries: 3 }, 400, "validation_failed"],
    ["with both an id and a path", { journeyId: crypto.randomUUID() }, 400, "validation_failed"],
  ])("%s", async (_what, body, status, code) => {
    const answer = await start(body);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toMatchObject({ code });
  });

  it("where the journey does not compile, with the reasons", async () => {
    await storeDocument(stack, {
      path: broken,
      text: SECRET_JOURNEY(target.url).replace("$statusCode == 201", "$statusCode =="),
    });
    const answer = await start({ path: broken, inputs: {} });
    expect(answer.status).toBe(422);
    expect(errorOf(answer)).toMatchObject({ code: "journey_invalid" });
    expect(answer.text).toContain(`${broken}:12:`);
  });

  it("in a protected environment, but for the released version without inputs", async () => {
    const id = await createEnvironment("production", { protected: true, inputs: { run: "p" } });
    const refused = await start({ environmentId: id, inputs: {} });
    expect(errorOf(refused)).toMatchObject({ code: "environment_protected" });
    const [document] = await query<{ id: string }>(
      stack,
      "SELECT id FROM journey_documents WHERE path = $1",
      [PATH],
    );
    const release = `/api/environments/${id}/releases/${document?.id}`;
    await stack.http.request("PUT", release, { body: { version: 1 } });
    expect(errorOf(await start({ environmentId: id }))).toMatchObject({ code: "environment_protected" });
    const { body } = await start({ environmentId: id, inputs: undefined });
    expect(await ended(body.runId)).toMatchObject({ status: "passed" });
  });

  it("when too many wait", async () => {
    const waiting = await query<{ id: string }>(
      stack,
      `INSERT INTO journey_runs
       SELECT n.* FROM (SELECT r FROM journey_runs r LIMIT 1) x CROSS JOIN generate_series(1, 200) s
       CROSS JOIN LATERAL jsonb_populate_record(x.r, jsonb_build_object('id', gen_random_uuid(), 'seed', s::text,
         'status', 'queued', 'result_hash', NULL, 'ended_at', NULL, 'outcome_digest', NULL,
         'idempotency_key', NULL)) n
       RETURNING id`,
    );
    await query(
      stack,
      `INSERT INTO journey_run_tickets (organization_id, run_id, expires_at, available_at)
       SELECT organization_id, id, now() + interval '1 hour', now() + interval '1 hour' FROM journey_runs WHERE id = ANY($1)`,
      [waiting.map(({ id }) => id)],
    );
    const answer = await start();
    expect(answer.status).toBe(429);
    expect(errorOf(answer)).toMatchObject({ code: "quota_exceeded" });
    await query(stack, "DELETE FROM journey_run_tickets WHERE run_id = ANY($1)", [
      waiting.map(({ id }) => id),
    ]);
  });
});

describe("a secret of the environment", () => {
  it("is needed, is sent to its hosts and stands in no result", async () => {
    await storeDocument(stack, { path: "secret.journey.yaml", text: SECRET_JOURNEY(target.url) });
    const request = { path: "secret.journey.yaml", inputs: {} };
    expect(errorOf(await start(request))).toMatchObject({ code: "secret_missing" });
    const secret = (hosts: string[]) =>
      stack.http.request("PUT", `/api/environments/${environmentId}/secrets/TOKEN`, {
        body: { value: SECRET, hosts },
      });
    expect((await secret([`127.0.0.1:${target.port}`])).status).toBe(204);
    expect(errorOf(await start({ ...request, inputs: { token: "x" } }))).toMatchObject({
      code: "validation_failed",
    });
    const { body } = await start(request);
    expect(await ended(body.runId)).toMatchObject({ status: "passed" });
    const result = await stack.http.get(`/api/journey-runs/${body.runId}/result`);
    expect(result.text).not.toContain(SECRET);
    expect(result.text).toContain("[redacted]");
    await secret(["elsewhere.example"]);
    const sent = target.requests.length;
    const refused = await start(request);
    expect(await ended(refused.body.runId)).toMatchObject({ status: "error", error: { code: "forbidden" } });
    expect(target.requests.length).toBe(sent);
  });
});
