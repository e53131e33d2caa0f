import type { JourneyReleasePreview } from "@waymark/shared/environments/releases/schema.ts";
import type { EnvironmentDetails, JourneyRelease } from "@waymark/shared/environments/schema.ts";
import { holdStatement } from "@waymark/test-support/hold-statement.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { type JourneyTarget, startJourneyTarget } from "@waymark/test-support/journey-target.ts";
import { sendChangeset, waitForJourneyRun } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import type { TestService } from "@waymark/test-support/service-process.ts";
import { untilWaiting } from "@waymark/test-support/pauses.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack, startWorker } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { z } from "zod";

const TOKEN = "production-token-of-this-environment";

/** The operation of the journeys, with another method after an attack. */
const description = (method = "get", more = "") => `openapi: 3.1.0
info: { title: Things${more}, version: 1.0.0 }
servers: [{ url: "${target.url}" }]
paths:
  /things/{id}:
    ${method}:
      operationId: look
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: X-Api-Key, in: header, schema: { type: string } }
      responses: { "200": { description: there } }
`;

const journey = (step = "look", sources = "") => `arazzo: 1.1.0
info: { title: Look, version: 1.0.0 }
sourceDescriptions:
  - { name: things, type: openapi, url: things.openapi.yaml }
${sources}workflows:
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    x-journey: { secrets: { token: { ref: env:TOKEN } } }
    steps:
      - stepId: ${step}
        operationId: $sourceDescriptions.things.look
        parameters: [{ name: id, in: path, value: t1 }, { name: X-Api-Key, in: header, value: $inputs.token }]
        successCriteria: [{ condition: $statusCode == 200 }]
`;

const CALLING = `arazzo: 1.1.0
info: { title: Calling, version: 1.0.0 }
sourceDescriptions: [{ name: base, type: arazzo, url: base.journey.yaml }]
workflows:
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    x-journey: { secrets: { token: { ref: env:TOKEN } } }
    steps:
      - { stepId: call, workflowId: $sourceDescriptions.base.main, parameters: [{ name: token, value: $inputs.token }] }
`;

const overlay = (title = "Variant") => `overlay: 1.1.0
info: { title: ${title}, version: 1.0.0, x-overlay: { id: variant, extendsVersion: ^1.0.0 } }
extends: base.journey.yaml
actions:
  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='look']
    update: { timeout: 5000 }
`;

const documents = () => ({
  "things.openapi.yaml": description(),
  "look.journey.yaml": journey(),
  "base.journey.yaml": journey(),
  "variant.overlay.yaml": overlay(),
  "calling.journey.yaml": CALLING,
});
type Path = keyof ReturnType<typeof documents>;

let target: JourneyTarget;
let stack: Stack;
let worker: TestService | undefined;
const ids = new Map<string, string>();

beforeAll(async () => {
  target = await startJourneyTarget();
  target.make("t1");
  stack = await startStack();
});
afterAll(async () => {
  await worker?.stop();
  await stack[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});
beforeEach(async () => {
  target.requests.length = 0;
  for (const [path, text] of Object.entries(documents())) await save(path, text);
});

const heads = new Map<string, number>();

/** Stores a text as the next version of a document. */
async function save(
  path: string,
  text: string,
  options: { key?: string; dryRun?: boolean } = {},
): Promise<void> {
  const { key, dryRun = false } = options;
  const changes = [{ path, text, baseVersion: heads.get(path) ?? null }];
  const { body, text: answer } = await sendChangeset(
    stack,
    { dryRun, changes },
    key === undefined ? {} : { key },
  );
  const [document] = body.documents ?? [];
  if (document === undefined) throw new Error(answer);
  if (dryRun) return;
  ids.set(path, document.id);
  heads.set(path, document.version);
}

const idOf = (path: Path) => ids.get(path) ?? "";

async function startJourneyWorker(): Promise<void> {
  worker ??= await startWorker({
    ...stack,
    env: {
      WORKER_ROLES: "journeys",
      WORKER_RECONCILE_MS: "200",
      WORKER_HOUSEKEEPING_MS: "500",
      JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}`,
    },
  });
}

async function createEnvironment(settings: Record<string, unknown> = {}): Promise<string> {
  const { body, text } = await stack.http.post<{ id: string }>("/api/environments", {
    name: crypto.randomUUID(),
    servers: { things: target.url },
    protected: true,
    ...settings,
  });
  if (body.id === undefined) throw new Error(text);
  await stack.http.request("PUT", `/api/environments/${body.id}/secrets/TOKEN`, {
    body: { value: TOKEN, hosts: [`127.0.0.1:${target.port}`] },
  });
  return body.id;
}

async function change(environmentId: string, settings: Record<string, unknown>): Promise<void> {
  const path = `/api/environments/${environmentId}`;
  const { body } = await stack.http.get<z.infer<typeof EnvironmentDetails>>(path);
  const { name, servers, variables, inputs } = body;
  const answer = await stack.http.request("PUT", path, {
    body: { name, servers, variables, inputs, protected: body.protected, ...settings },
    headers: { "if-match": `"${body.revision}"` },
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

const releasePath = (environmentId: string, path: Path) =>
  `/api/environments/${environmentId}/releases/${idOf(path)}`;

async function release(environmentId: string, path: Path = "look.journey.yaml"): Promise<JourneyRelease> {
  const answer = await stack.http.request<JourneyRelease>("PUT", releasePath(environmentId, path), {
    body: { version: heads.get(path) },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

const preview = async (environmentId: string, path: Path = "look.journey.yaml") =>
  (await stack.http.get<JourneyReleasePreview>(releasePath(environmentId, path))).body;

const start = (environmentId: string, body: Record<string, unknown> = {}, key?: string) =>
  stack.http.post<{ runId: string; artifact: string; programId: string }>(
    "/api/journey-runs",
    { path: "look.journey.yaml", environmentId, ...body },
    key === undefined ? {} : { key },
  );

const ended = (runId: string) =>
  waitForJourneyRun<{ status: string; error: { code: string } | null }>(stack, runId);

async function copyAsUploaded(runId: string): Promise<string> {
  const [row] = await query<{ id: string }>(
    stack,
    `INSERT INTO journey_runs
     SELECT n.* FROM journey_runs r
     CROSS JOIN LATERAL jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'origin', 'uploaded')) n
     WHERE r.id = $1 RETURNING id`,
    [runId],
  );
  return row?.id ?? "";
}

const methods = () => target.requests.map(({ method }) => method);

// The first one: no worker has started yet.
it("a waiting run ends without a request if its environment becomes protected", async () => {
  const environmentId = await createEnvironment({ protected: false });
  const waiting = await start(environmentId);
  expect(waiting.status).toBe(202);
  await change(environmentId, { protected: true });
  await startJourneyWorker();
  expect(await ended(waiting.body.runId)).toMatchObject({ status: "error", error: { code: "forbidden" } });
  expect(methods()).toEqual([]);
});

describe("an author who can't release", () => {
  it("can't send a request with a production secret by changing a description", async () => {
    await startJourneyWorker();
    const environmentId = await createEnvironment();
    await release(environmentId);
    const key = await createKey(stack, ["journeys:read", "journeys:write", "journeys:run"]);
    expect(await ended((await start(environmentId, {}, key)).body.runId)).toMatchObject({ status: "passed" });
    await save("things.openapi.yaml", description("delete"), { key });
    const refused = await start(environmentId, {}, key);
    expect(errorOf(refused)).toMatchObject({
      status: 403,
      code: "environment_protected",
      message: expect.stringContaining("things.openapi.yaml"),
    });
    expect(methods()).toEqual(["GET"]);
  });

  it("can't do so by a schedule, made before the environment was protected or after", async () => {
    await startJourneyWorker();
    const environmentId = await createEnvironment({ protected: false });
    const schedule = await stack.http.post<{ id: string }>("/api/journey-schedules", {
      name: "nightly",
      journeyId: idOf("look.journey.yaml"),
      environmentId,
      cron: "0 4 * * *",
    });
    const tick = async () => {
      await query(stack, "DELETE FROM journey_schedule_ticks");
      await query(
        stack,
        "UPDATE journey_schedules SET next_due_at = date_trunc('minute', now()), next_at = now()",
      );
      const path = `/api/journey-schedules/${schedule.body.id}/ticks`;
      const ticks = async () =>
        (
          await stack.http.get<{ ticks: { outcome: string; reason: string | null; runId: string | null }[] }>(
            path,
          )
        ).body.ticks;
      await expect.poll(async () => (await ticks()).length, { timeout: 20_000 }).toBe(1);
      return (await ticks())[0];
    };
    await change(environmentId, { protected: true });
    expect(await tick()).toMatchObject({ outcome: "refused" });
    await release(environmentId);
    const started = await tick();
    expect(started).toMatchObject({ outcome: "started" });
    await ended(started?.runId ?? "");
    await save("things.openapi.yaml", description("delete"));
    expect(await tick()).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("things.openapi.yaml"),
    });
    expect(methods()).toEqual(["GET"]);
    await stack.http.request("DELETE", `/api/journey-schedules/${schedule.body.id}`);
  });
});

describe("a protected environment refuses what was not released", () => {
  it.each<[string, Path, () => Promise<unknown>]>([
    [
      "a comment in a description",
      "look.journey.yaml",
      () => save("things.openapi.yaml", `# a comment\n${description()}`),
    ],
    [
      "the base of an overlay",
      "variant.overlay.yaml",
      () => save("base.journey.yaml", journey("look", "# changed\n")),
    ],
    [
      "a description of the base of an overlay",
      "variant.overlay.yaml",
      () => save("things.openapi.yaml", description("delete")),
    ],
    ["a called journey", "calling.journey.yaml", () => save("base.journey.yaml", journey("other"))],
    [
      "a description of a called journey",
      "calling.journey.yaml",
      () => save("things.openapi.yaml", description("delete")),
    ],
  ])("%s changed", async (_what, path, attack) => {
    const environmentId = await createEnvironment();
    await release(environmentId, path);
    expect((await start(environmentId, { path })).status).toBe(202);
    await attack();
    expect(errorOf(await start(environmentId, { path }))).toMatchObject({ code: "environment_protected" });
    await release(environmentId, path);
    expect((await start(environmentId, { path })).status).toBe(202);
  });

  it("a server or the name of the environment changed; servers that the program doesn't call don't count", async () => {
    const environmentId = await createEnvironment();
    await release(environmentId);
    const servers = { things: target.url };
    await change(environmentId, { servers: { ...servers, other: "https://other.example" } });
    expect((await start(environmentId)).status).toBe(202);
    await change(environmentId, { servers: { things: `${target.url}/elsewhere` } });
    expect(errorOf(await start(environmentId)).message).toContain("the server of things");
    await change(environmentId, { servers, variables: { things: { region: "eu" } } });
    expect(errorOf(await start(environmentId)).message).toContain("the server of things");
    await change(environmentId, { servers, variables: {} });
    expect((await start(environmentId)).status).toBe(202);
    await change(environmentId, { name: crypto.randomUUID() });
    expect(errorOf(await start(environmentId)).message).toContain("the name of the environment");
  });

  it("a rerun of an earlier or uploaded run", async () => {
    await startJourneyWorker();
    const environmentId = await createEnvironment({ protected: false });
    const { runId } = (await start(environmentId)).body;
    await ended(runId);
    await change(environmentId, { protected: true });
    const rerun = (id: string) => stack.http.post<{ runId: string }>(`/api/journey-runs/${id}/rerun`, {});
    expect(errorOf(await rerun(runId))).toMatchObject({ code: "environment_protected" });
    await release(environmentId);
    expect((await rerun(runId)).status).toBe(202);
    await save("things.openapi.yaml", description("delete"));
    expect(errorOf(await rerun(runId))).toMatchObject({ code: "environment_protected" });
    // An uploaded result is a claim: repeating it is a run like any other.
    const uploaded = await copyAsUploaded(runId);
    expect(errorOf(await rerun(uploaded))).toMatchObject({ code: "environment_protected" });
  });

  it("the caller expects the changed program, or another environment has built it", async () => {
    const [environmentId, open] = [await createEnvironment(), await createEnvironment({ protected: false })];
    await release(environmentId);
    await save("things.openapi.yaml", description("delete"));
    const built = await start(open);
    expect(built.status).toBe(202);
    const { programId } = (await preview(environmentId)) as { programId: string };
    for (const expectProgram of [built.body.programId, programId]) {
      const refused = await start(environmentId, { expectProgram });
      expect(errorOf(refused)).toMatchObject({ code: "environment_protected" });
    }
    await save("things.openapi.yaml", description());
    const mismatch = await start(environmentId, { expectProgram: programId });
    expect(errorOf(mismatch)).toMatchObject({ code: "artifact_mismatch" });
  });

  it.each([
    ["protected", false, "UPDATE environments SET is_protected = true WHERE id = $1"],
    [
      "without a release",
      true,
      "WITH held AS (UPDATE environments SET name = name WHERE id = $1) DELETE FROM journey_releases WHERE environment_id = $1",
    ],
  ])(
    "the environment is %s when a run that was prepared is stored",
    async (_what, isProtected, statement) => {
      const environmentId = await createEnvironment({ protected: isProtected });
      if (isProtected) await release(environmentId);
      // The row's lock keeps the request waiting after it has found what to run.
      await using held = await holdStatement(stack, statement, [environmentId]);
      const underWay = start(environmentId);
      await untilWaiting(stack, { atLeast: 1, type: "row" });
      await held.commit();
      expect(errorOf(await underWay)).toMatchObject({ code: "environment_protected" });
      expect(methods()).toEqual([]);
    },
  );

  it("a dry run changes nothing, and a text that was changed back is the released one", async () => {
    const environmentId = await createEnvironment();
    await release(environmentId);
    await save("things.openapi.yaml", description("delete"), { dryRun: true });
    expect((await start(environmentId)).status).toBe(202);
    await save("things.openapi.yaml", description("delete"));
    expect((await start(environmentId)).status).toBe(403);
    await save("things.openapi.yaml", description());
    expect((await start(environmentId)).status).toBe(202);
  });
});

it("the released artifact itself runs, also when its build is deleted", async () => {
  const environmentId = await createEnvironment();
  const { artifact, programId } = await release(environmentId);
  await query(stack, "DELETE FROM journey_builds");
  const { body } = await start(environmentId);
  expect(body).toMatchObject({ artifact, programId });
  expect(await query(stack, "SELECT FROM journey_builds")).toEqual([]);
});

describe("the preview of a release", () => {
  it("has every request while nothing is released, and nothing once it is", async () => {
    const environmentId = await createEnvironment();
    const first = await preview(environmentId);
    const host = `127.0.0.1:${target.port}`;
    const look = { method: "GET", host, path: "/things/{id}" };
    expect(first).toMatchObject({ version: expect.any(Number), release: null, documents: [], problems: [] });
    expect(first.steps).toEqual([
      { change: "added", workflow: "main", step: "look", before: null, after: look, parts: [] },
    ]);
    const released = await release(environmentId);
    expect(await preview(environmentId)).toMatchObject({
      artifact: released.artifact,
      release: { ...released, changedSince: [] },
      steps: [],
      workflows: [],
    });
  });

  it("names each request that is added, removed or changed, and the documents that did it", async () => {
    const environmentId = await createEnvironment();
    await release(environmentId);
    await save("things.openapi.yaml", description("delete"));
    await change(environmentId, { servers: { things: "https://elsewhere.example/v1" } });
    const changed = await preview(environmentId);
    expect(changed.documents).toMatchObject([{ path: "things.openapi.yaml", released: expect.any(Number) }]);
    expect(changed.servers).toEqual(["things"]);
    expect(changed.release?.changedSince).toEqual(["things.openapi.yaml", "the server of things"]);
    expect(changed.steps).toMatchObject([
      {
        change: "changed",
        step: "look",
        before: { method: "GET", path: "/things/{id}" },
        after: { method: "DELETE", host: "elsewhere.example", path: "/v1/things/{id}" },
        parts: ["method", "host", "path", "scheme"],
      },
    ]);
    await save("look.journey.yaml", journey("renamed"));
    const renamed = await preview(environmentId);
    expect(renamed.steps.map(({ change: kind, step }) => `${kind} ${step}`)).toEqual([
      "removed look",
      "added renamed",
    ]);
    expect(renamed.workflows).toEqual([{ workflow: "main", parts: ["order of steps"] }]);
  });

  it("says why a version does not compile, and nothing of it is released", async () => {
    const environmentId = await createEnvironment();
    await save("things.openapi.yaml", "openapi: 3.1.0\n");
    const broken = await preview(environmentId);
    expect(broken).toMatchObject({ artifact: null, programId: null, steps: [] });
    expect(broken.problems[0]?.message).toContain("look");
    const refused = await stack.http.request("PUT", releasePath(environmentId, "look.journey.yaml"), {
      body: { version: broken.version },
    });
    expect(errorOf(refused)).toMatchObject({ status: 422, code: "journey_invalid" });
  });

  it("is what is released: anything else is refused", async () => {
    const environmentId = await createEnvironment();
    const { artifact, version } = await preview(environmentId);
    await save("things.openapi.yaml", description("delete"));
    const path = releasePath(environmentId, "look.journey.yaml");
    const body = { version, expectArtifact: artifact };
    expect(errorOf(await stack.http.request("PUT", path, { body }))).toMatchObject({
      status: 409,
      code: "artifact_mismatch",
    });
    await save("things.openapi.yaml", description());
    expect((await stack.http.request("PUT", path, { body })).status).toBe(200);
  });
});
