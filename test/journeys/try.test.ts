import { describe, expect, test } from "vitest";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { pureSha256 } from "@waymark/journeys/compile/artifact.ts";
import { JourneyResult } from "@waymark/journeys/result/result-model.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { KeptTry, keepTry, reuseFor } from "@waymark/journeys/try/kept-try.ts";
import { triedStep } from "@waymark/journeys/try/try-result.ts";
import { planRequests, tryStep } from "@waymark/journeys/try/try-step.ts";
import type { TryOptions } from "@waymark/journeys/try/try-step.ts";
import { buildText } from "./support/build.ts";
import { fakeTransport, SOURCE, virtualClock } from "./support/fake.ts";
import type { FakeAnswer, FakeRequest } from "./support/fake.ts";

const NOTES = `
  - workflowId: main
    x-journey: { teardown: [{ step: remove }] }
    steps:
      - stepId: login
        operationId: a
        outputs: { token: $response.body#/token }
      - stepId: create
        operationId: aPost
        requestBody: { payload: { by: $steps.login.outputs.token } }
        successCriteria: [{ x-id: made, condition: $statusCode == 200 }]
        outputs: { id: $response.body#/id }
      - stepId: read
        operationId: b
        parameters: [{ name: id, in: query, value: $steps.create.outputs.id }]
        successCriteria: [{ condition: $statusCode == 200 }]
      - stepId: remove
        operationId: c
        parameters: [{ name: id, in: query, value: $steps.create.outputs.id }]
`;

const answers = (_request: FakeRequest, n: number): FakeAnswer => ({
  status: 200,
  body: { id: `n${n}`, token: `t-${n}` },
});

const named = (url: string): string => new URL(url).pathname.slice(1) + new URL(url).search;

async function artifactOf(workflows: string): Promise<Artifact> {
  const text = `arazzo: 1.1.0
info: { title: T, version: 1.0.0 }
sourceDescriptions: [{ name: api, type: openapi, url: ./api.yaml }]
workflows:${workflows}`;
  const built = await buildText(text, { file: "t.journey.yaml", sources: { api: SOURCE } });
  if (!built.ok) throw new Error(JSON.stringify(built.problems));
  return built.artifact;
}

async function attempt(
  artifact: Artifact,
  options: TryOptions,
  answer: (request: FakeRequest, n: number) => FakeAnswer = answers,
) {
  const { transport, requests } = fakeTransport(answer);
  const deps = { transport, clock: virtualClock(), resolveSecret: () => undefined };
  const tried = await tryStep(prepareJourney(artifact), deps, options);
  return { ...tried, sent: requests.map(({ method, url }) => `${method} ${named(url)}`), requests };
}

function keptOf(artifact: Artifact, checkpoint: Parameters<typeof keepTry>[0] | undefined) {
  if (checkpoint === undefined) throw new Error("no checkpoint");
  const kept = keepTry(checkpoint, artifact, { at: 0, origins: {}, hash: pureSha256 });
  return KeptTry.parse(JSON.parse(JSON.stringify(kept)));
}

function reuse(kept: KeptTry, artifact: Artifact, step: string) {
  const found = reuseFor(kept, artifact, { step, origins: {}, hash: pureSha256 });
  if (typeof found === "string") throw new Error(found);
  return found;
}

describe("a try of a step", () => {
  test("runs the steps until it, then the teardown, and says passed of nothing but steps", async () => {
    const { result, sent } = await attempt(await artifactOf(NOTES), { step: "create" });
    expect(sent).toEqual(["GET a", "POST a", "GET c?id=n2"]);
    expect(result).toMatchObject({ status: "reached", reused: [], teardown: { status: "passed" } });
    expect(triedStep(result)).toMatchObject({ id: "create", status: "passed", outputs: { id: "n2" } });
    expect(result.steps.map(({ id, phase }) => `${id} ${phase}`)).toEqual([
      "login main",
      "create main",
      "remove teardown",
    ]);
  });

  test("is no result of a journey", async () => {
    const { result } = await attempt(await artifactOf(NOTES), { step: "remove" });
    expect(JourneyResult.safeParse(result).success).toBe(false);
    expect(Object.keys(result)).not.toEqual(expect.arrayContaining(["acceptance"]));
    expect(result).not.toHaveProperty("coverage");
    expect(result.status).toBe("reached");
  });

  test("that keeps what it made runs no teardown", async () => {
    const { result, sent } = await attempt(await artifactOf(NOTES), { step: "create", keep: true });
    expect(sent).toEqual(["GET a", "POST a"]);
    expect(result.teardown).toEqual({ status: "kept" });
  });

  test("stops at a step before it that fails, and still tears down", async () => {
    const { result, sent } = await attempt(await artifactOf(NOTES), { step: "read" }, ({ method }) => ({
      status: method === "POST" ? 500 : 200,
      body: { id: "n1" },
    }));
    expect(sent).toEqual(["GET a", "POST a", "GET c?id=n1"]);
    expect(result).toMatchObject({ status: "notReached", reason: 'Step "create" failed.' });
    expect(triedStep(result)).toBeUndefined();
  });

  test("repeats the step as its retry says, and follows none of its other actions", async () => {
    const journey = `
  - workflowId: main
    steps:
      - stepId: one
        operationId: a
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure: [{ name: again, type: retry, retryLimit: 2 }]
        onSuccess: [{ name: back, type: goto, stepId: three }]
      - { stepId: two, operationId: b }
      - { stepId: three, operationId: c }`;
    const artifact = await artifactOf(journey);
    const flaky = (_: FakeRequest, n: number): FakeAnswer => ({ status: n < 3 ? 503 : 200 });
    const { result, sent } = await attempt(artifact, { step: "one" }, flaky);
    expect(sent).toEqual(["GET a", "GET a", "GET a"]);
    expect(triedStep(result)?.attempts).toHaveLength(3);
    const skipped = await attempt(artifact, { step: "two" });
    expect(skipped.sent).toEqual(["GET a", "GET c"]);
    expect(skipped.result).toMatchObject({ status: "notReached", reason: "The workflow went another way." });
  });

  test("of a step that calls a workflow runs that workflow, whose steps of the same name are others", async () => {
    const artifact = await artifactOf(`
  - workflowId: main
    steps:
      - stepId: log
        workflowId: sub
        outputs: { token: $outputs.token }
      - { stepId: one, operationId: b }
  - workflowId: sub
    steps:
      - stepId: one
        operationId: a
        outputs: { token: $response.body#/token }
      - { stepId: two, operationId: c }
    outputs: { token: $steps.one.outputs.token }`);
    expect((await attempt(artifact, { step: "log" })).sent).toEqual(["GET a", "GET c"]);
    const { result, sent } = await attempt(artifact, { step: "one" });
    expect(sent).toEqual(["GET a", "GET c", "GET b"]);
    expect(triedStep(result)).toMatchObject({ evidence: { request: { method: "GET" } } });
  });
});

describe("outputs that were kept", () => {
  test("let the next try send one request", async () => {
    const artifact = await artifactOf(NOTES);
    const first = await attempt(artifact, { step: "create", keep: true });
    const found = reuse(keptOf(artifact, first.checkpoint), artifact, "read");
    const second = await attempt(artifact, { step: "read", keep: true, reuse: found });
    expect(second.sent).toEqual(["GET b?id=n2"]);
    expect(second.result.reused).toEqual(["login", "create"]);
    const again = reuse(keptOf(artifact, second.checkpoint), artifact, "read");
    const third = await attempt(artifact, { step: "read", reuse: again });
    expect(third.sent).toEqual(["GET b?id=n2", "GET c?id=n2"]);
  });

  test("are not used by steps that had an older value", async () => {
    const artifact = await artifactOf(NOTES);
    const first = await attempt(artifact, { step: "read", keep: true });
    const back = reuse(keptOf(artifact, first.checkpoint), artifact, "create");
    const second = await attempt(artifact, { step: "create", keep: true, reuse: back });
    expect(second.sent).toEqual(["POST a"]);
    const on = reuse(keptOf(artifact, second.checkpoint), artifact, "remove");
    expect((await attempt(artifact, { step: "remove", keep: true, reuse: on })).sent).toEqual([
      "GET b?id=n1",
      "GET c?id=n1",
    ]);
  });

  test("serve a step that was edited, renamed or written since", async () => {
    const artifact = await artifactOf(NOTES);
    const { checkpoint } = await attempt(artifact, { step: "create", keep: true });
    const kept = keptOf(artifact, checkpoint);
    for (const [from, to] of [
      ["name: id, in: query, value: $steps.create", "name: key, in: query, value: $steps.create"],
      ["stepId: read", "stepId: look"],
      ["      - stepId: read", "      - { stepId: look, operationId: b }\n      - stepId: read"],
    ] as const) {
      const edited = await artifactOf(NOTES.replace(from, to));
      const step = to.includes("look") ? "look" : "read";
      const { sent } = await attempt(edited, { step, keep: true, reuse: reuse(kept, edited, step) });
      expect(sent).toHaveLength(1);
    }
  });

  test.each([
    ["step: by", "by: $steps", "who: $steps", 'step "create" changed'],
    [
      "step: new",
      "      - stepId: create",
      "      - { stepId: extra, operationId: c }\n      - stepId: create",
      'step "extra" is new',
    ],
    ["variables", "x-journey: {", "x-journey: { vars: { v: 1 },", "the variables changed"],
    ["workflow", "    steps:\n", "    inputs: { type: object }\n    steps:\n", "the workflow changed"],
  ])("are not used after a change of what they come from (%s)", async (_name, from, to, why) => {
    const artifact = await artifactOf(NOTES);
    const { checkpoint } = await attempt(artifact, { step: "create", keep: true });
    const edited = await artifactOf(NOTES.replace(from, to));
    const found = reuseFor(keptOf(artifact, checkpoint), edited, {
      step: "read",
      origins: {},
      hash: pureSha256,
    });
    expect(found).toBe(why);
  });

  test("are not used with other inputs or servers, nor for a step that the journey does not get to", async () => {
    const artifact = await artifactOf(NOTES);
    const { checkpoint } = await attempt(artifact, { step: "create", keep: true });
    const kept = keptOf(artifact, checkpoint);
    const origins = { "the inputs": { a: 1 } };
    expect(reuseFor(kept, artifact, { step: "read", origins, hash: pureSha256 })).toBe("the inputs changed");
    const ended = KeptTry.parse({ ...kept, next: "nowhere" });
    expect(reuseFor(ended, artifact, { step: "remove", origins: {}, hash: pureSha256 })).toBe(
      'step "remove" does not follow on the steps that were run',
    );
  });

  test("send a step that failed again, alone", async () => {
    const artifact = await artifactOf(NOTES);
    const failing = ({ method }: FakeRequest): FakeAnswer => ({
      status: method === "POST" ? 500 : 200,
      body: { token: "t" },
    });
    const first = await attempt(artifact, { step: "read", keep: true }, failing);
    const found = reuse(keptOf(artifact, first.checkpoint), artifact, "read");
    expect((await attempt(artifact, { step: "read", keep: true, reuse: found })).sent).toEqual([
      "POST a",
      "GET b?id=n1",
    ]);
  });
});

test("a dry run makes the requests with placeholders and sends nothing", async () => {
  const artifact = await artifactOf(NOTES);
  const deps = { clock: virtualClock(), resolveSecret: () => undefined };
  const { requests } = await planRequests(prepareJourney(artifact), deps, { step: "read" });
  expect(
    requests.map(({ step, request }) => [step, request?.method, named(request?.url ?? ""), request?.body]),
  ).toEqual([
    ["login", "GET", "a", undefined],
    ["create", "POST", "a", '{"by":"«token of login»"}'],
    ["read", "GET", expect.any(String), undefined],
  ]);
  expect(requests[2]?.request?.url).toContain("id=«id of create»");
});
