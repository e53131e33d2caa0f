import { describe, expect, test } from "vitest";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { Checkpoint } from "@waymark/journeys/checkpoint/checkpoint.ts";
import { CheckpointError } from "@waymark/journeys/checkpoint/checkpoint-error.ts";
import { RunLeft } from "@waymark/journeys/run/take-checkpoint.ts";
import { comparable } from "@waymark/journeys/result/comparable.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import type { RunOptions } from "@waymark/journeys/run/state.ts";
import { toJson } from "@waymark/journeys/expressions/exact-json.ts";
import { buildText } from "./support/build.ts";
import { fakeTransport, SOURCE, virtualClock } from "./support/fake.ts";
import type { FakeAnswer, FakeRequest } from "./support/fake.ts";
import { run } from "./support/run.ts";

const SECRET = "s3cret-of-the-journey";
const HIDDEN = "hidden-pass-phrase";
const BIG = "9007199254740993";

interface Journey {
  workflows: string;
  answer?: (request: FakeRequest, n: number) => FakeAnswer;
  options?: RunOptions;
}

const id = (url: string): string => new URL(url).pathname.slice(1);

const JOURNEYS: Record<string, Journey> = {
  "steps with outputs, numbers beyond 2^53, secrets and variables": {
    workflows: `
  - workflowId: main
    inputs:
      type: object
      properties: { name: { type: string, default: N }, token: { type: string }, pass: { type: string, format: password } }
    x-journey:
      secrets: { token: { ref: env:TOKEN } }
      vars: { v: { generate: uuid }, at: { generate: date-time }, fixed: { $integer: "1" } }
    steps:
      - stepId: one
        operationId: aPost
        parameters: [{ name: Authorization, in: header, value: "Bearer {$inputs.token}" }]
        requestBody: { payload: { name: $inputs.name, v: $vars.v, pass: $inputs.pass } }
        outputs: { id: $response.body#/id, all: $response.body, echo: $request.header.authorization }
      - stepId: two
        operationId: bPost
        requestBody: { payload: { id: $steps.one.outputs.id, all: $steps.one.outputs.all, v: $vars.v, at: $vars.at, fixed: $vars.fixed } }
        successCriteria: [{ x-id: same, condition: $response.body#/id == ${BIG} }]
      - stepId: three
        operationId: c
        parameters: [{ name: e, in: query, value: $steps.one.outputs.echo }, { name: p, in: header, value: $inputs.pass }]
    outputs: { id: $steps.one.outputs.id, last: $response.body#/n, status: $statusCode }`,
    answer: (_request, n) => ({
      status: 200,
      type: "application/json",
      body: `{"id":${BIG},"n":${n},"$text":["x"],"deep":{"$integer":"5","list":[${BIG},null,1.5]},"said":"${HIDDEN}!"}`,
    }),
    options: { inputs: { pass: HIDDEN } },
  },
  "functions, with what they make of secrets": {
    workflows: `
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    x-journey: { secrets: { token: { ref: env:TOKEN } } }
    steps:
      - stepId: one
        operationId: aPost
        parameters: [{ name: X-Signature, in: header, value: "{$fn.hmac('sha256', $inputs.token, $fn.requestBody())}" }]
        requestBody: { payload: { id: "{$fn.uuid()}", other: "{$fn.uuid()}" } }
        outputs: { sent: $request.header.x-signature, made: "{$fn.sha256($inputs.token)}", id: $fn.uuid() }
      - stepId: two
        operationId: bPost
        requestBody: { payload: { id: $steps.one.outputs.id, made: $steps.one.outputs.made, again: "{$fn.uuid()}", by: "{$fn.firstName()}" } }
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure: [{ name: again, type: retry, retryLimit: 1 }]
      - stepId: three
        operationId: cPost
        requestBody: { payload: { n: "$fn.randomInt(1, 1000000)", sent: $steps.one.outputs.sent } }
    outputs: { id: $fn.uuid(), made: $steps.one.outputs.made }`,
    answer: (_request, n) => ({ status: n === 2 ? 500 : 200, body: { n } }),
  },
  "bytes, with a secret among them": {
    workflows: `
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    x-journey: { secrets: { token: { ref: env:TOKEN } } }
    steps:
      - stepId: one
        operationId: a
        parameters: [{ name: Authorization, in: header, value: "Bearer {$inputs.token}" }]
        outputs: { file: $response.body, list: $response.header.x-none }
      - stepId: two
        operationId: bPost
        requestBody: { contentType: image/png, payload: $steps.one.outputs.file }
      - stepId: three
        operationId: cPost
        requestBody: { contentType: multipart/form-data, payload: { file: $steps.one.outputs.file, name: n } }
    outputs: { file: $steps.one.outputs.file }`,
    answer: ({ method }) =>
      method === "GET"
        ? { status: 200, type: "image/png", body: Buffer.from(`\x89PNG\0\xff${SECRET}\xfe`, "latin1") }
        : { status: 201 },
  },
  "goto, skipped steps and a failure that is handled": {
    workflows: `
  - workflowId: main
    steps:
      - { stepId: one, operationId: a, onSuccess: [{ name: on, type: goto, stepId: three }] }
      - { stepId: two, operationId: b, onSuccess: [{ name: stop, type: end }] }
      - stepId: three
        operationId: c
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure: [{ name: back, type: goto, stepId: two }]
      - { stepId: four, operationId: d, dependsOn: [three] }`,
    answer: ({ url }) => ({ status: id(url) === "c" ? 500 : 200, body: {} }),
  },
  "retries, with a step in between, and a poll": {
    workflows: `
  - workflowId: main
    steps:
      - { stepId: before, operationId: a }
      - stepId: busy
        operationId: b
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure: [{ name: again, type: retry, retryAfter: 1, retryLimit: 3, stepId: helper }]
      - { stepId: helper, operationId: c }
      - stepId: poll
        operationId: d
        x-journey: { poll: { until: $response.body#/done == true, everyMs: 10, maxMs: 1000 } }`,
    answer: ({ url }, n) => ({
      status: id(url) === "b" && n < 5 ? 503 : 200,
      body: { done: n > 9 },
    }),
  },
  "workflows that are called, depended on and transferred to": {
    workflows: `
  - workflowId: main
    dependsOn: [first]
    inputs: { type: object, properties: { x: { type: integer, default: 7 } } }
    steps:
      - { stepId: here, operationId: a, outputs: { n: $response.body#/n } }
      - stepId: call
        workflowId: sub
        parameters: [{ name: n, value: $steps.here.outputs.n }]
        outputs: { m: $outputs.m }
        successCriteria: [{ condition: $outputs.m != null }]
      - stepId: last
        operationId: c
        onSuccess:
          - { name: over, type: goto, workflowId: after, parameters: [{ name: n, value: $response.body#/n }, { name: m, value: $steps.call.outputs.m }] }
    outputs: { f: $workflows.first.outputs.f, s: $workflows.sub.inputs.n }
    x-journey: { teardown: [{ step: last }] }
  - workflowId: first
    inputs: { type: object, properties: { x: { type: integer } } }
    steps: [{ stepId: f, operationId: d, outputs: { n: $response.body#/n } }]
    outputs: { f: $steps.f.outputs.n }
  - workflowId: sub
    inputs: { type: object, properties: { n: { type: integer } } }
    steps:
      - { stepId: s, operationId: b, parameters: [{ name: n, in: query, value: $inputs.n }], outputs: { n: $response.body#/n } }
    outputs: { m: $steps.s.outputs.n }
    x-journey: { teardown: [{ step: s, when: $inputs.n > 1000 }] }
  - workflowId: after
    inputs: { type: object, properties: { n: { type: integer }, m: { type: integer } } }
    steps: [{ stepId: z, operationId: dPost, requestBody: { payload: { n: $inputs.n, m: $inputs.m } } }]
    outputs: { z: $statusCode }`,
    answer: (_request, n) => ({ status: 200, body: { n } }),
  },
  "a failure, then a teardown of several entries": {
    workflows: `
  - workflowId: main
    steps:
      - { stepId: make, operationId: aPost, outputs: { id: $response.body#/id } }
      - { stepId: use, operationId: b, successCriteria: [{ x-id: ok, condition: $statusCode == 200 }] }
      - { stepId: never, operationId: c }
      - { stepId: drop, operationId: d, parameters: [{ name: id, in: query, value: $steps.make.outputs.id }] }
    outputs: { made: $steps.make.outputs.id }
    x-journey:
      acceptanceCriteria: [{ id: A, text: It works, severity: must, provenBy: [use#ok] }]
      teardown: [{ step: drop, when: $steps.make.outputs.id != null }, { step: never, when: $statusCode == 418 }, { step: drop }]`,
    answer: ({ url }) => ({ status: id(url) === "b" ? 500 : 200, body: { id: 5 } }),
  },
  "a run that a limit ends": {
    workflows: `
  - workflowId: main
    steps:
      - { stepId: one, operationId: a }
      - { stepId: two, operationId: b, onSuccess: [{ name: loop, type: goto, stepId: one }] }
      - { stepId: drop, operationId: d }
    x-journey: { teardown: [{ step: drop }] }`,
    options: { limits: { steps: 5 } },
  },
  "a run whose outputs together are too large": {
    workflows: `
  - workflowId: main
    steps:
      - { stepId: one, operationId: a, outputs: { t: $response.body#/t } }
      - { stepId: two, operationId: b, outputs: { t: $response.body#/t } }
      - { stepId: three, operationId: c, outputs: { t: $response.body#/t } }
      - { stepId: drop, operationId: d }
    x-journey: { teardown: [{ step: drop }] }`,
    answer: () => ({ status: 200, body: { t: "x".repeat(100) } }),
    options: { limits: { outputChars: 250 } },
  },
};

const DOUBLED = Array.from({ length: 10 }, (_, n) => {
  const before = n === 0 ? "{$response.body#/t}" : `{$steps.s${n - 1}.outputs.t}`;
  return `{ stepId: s${n}, operationId: a, outputs: { t: "${before}${before}" } }`;
});

JOURNEYS["an output that doubles with each step, until all of them are too large"] = {
  workflows: `
  - workflowId: main
    steps: [${DOUBLED.join(", ")}, { stepId: drop, operationId: d }]
    x-journey: { teardown: [{ step: drop }] }`,
  answer: () => ({ status: 200, body: { t: "x".repeat(100) } }),
  // The sixth of them is the first that does not fit: 200 + 400 + … characters.
  options: { limits: { outputChars: 12_000 } },
};

JOURNEYS["a criterion that could not be decided, and a goto that handles it"] = {
  workflows: `
  - workflowId: main
    steps:
      - { stepId: zero, operationId: c }
      - stepId: one
        operationId: a
        successCriteria: [{ context: $response.body, condition: $.x, type: jsonpath }]
        onFailure: [{ name: on, type: goto, stepId: two }]
      - { stepId: two, operationId: b }
      - { stepId: three, operationId: c }`,
  answer: () => ({ status: 200, body: { x: 1 } }),
  options: { limits: { evaluationMs: 0, evaluationMsPerRequest: 0 } },
};

async function artifactOf({ workflows }: Journey): Promise<Artifact> {
  const head =
    "arazzo: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nsourceDescriptions: [{ name: api, url: x, type: openapi }]\n";
  const built = await buildText(`${head}workflows:\n${workflows}`, {
    file: "t.yaml",
    sources: { api: SOURCE },
  });
  if (!built.ok) throw new Error(built.problems.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  return built.artifact;
}

/** A target that outlives runners and continues counting. */
function target(journey: Journey) {
  const { transport, requests } = fakeTransport(journey.answer ?? (() => ({ status: 200, body: {} })));
  const play = (artifact: Artifact, options: RunOptions): Promise<JourneyResult> =>
    run(artifact, {
      ...journey.options,
      seed: "s",
      ...options,
      secret: SECRET,
      deps: { transport, clock: virtualClock() },
    });
  return { play, requests };
}

/** Runs a journey and leaves it after the n-th checkpoint, which is kept as text. */
async function leave(artifact: Artifact, journey: Journey, n: number) {
  const { play, requests } = target(journey);
  let kept = "";
  let left = 0;
  const result = await play(artifact, {
    onCheckpoint: (checkpoint) => {
      kept = JSON.stringify(checkpoint);
      return ++left === n ? "leave" : undefined;
    },
  }).catch((error: unknown) => {
    if (!(error instanceof RunLeft)) throw error;
    return undefined;
  });
  return { kept, isLeft: result === undefined, play, requests };
}

const wire = (requests: readonly FakeRequest[]) =>
  requests.map(({ method, url, body }) => [method, url, body]);

describe("a run that continues from a checkpoint", () => {
  test.each(Object.entries(JOURNEYS))(
    "gives the result of one that was not interrupted: %s",
    async (_name, journey) => {
      const artifact = await artifactOf(journey);
      const whole = target(journey);
      const expected = await whole.play(artifact, {});
      let stops = 0;
      for (;;) {
        const { kept, isLeft, play, requests } = await leave(artifact, journey, ++stops);
        if (!isLeft) break;
        expect(kept).not.toContain(SECRET);
        const result = await play(artifact, { resume: { checkpoint: JSON.parse(kept) } });
        expect(toJson(comparable(result))).toBe(toJson(comparable(expected)));
        expect(result).toMatchObject({ seed: expected.seed, runId: JSON.parse(kept).runId });
        expect(wire(requests)).toEqual(wire(whole.requests));
      }
      expect(stops).toBeGreaterThan(3);
    },
  );

  test("counts the outputs that it had before, so that the same limit ends it", async () => {
    const journey = JOURNEYS["an output that doubles with each step, until all of them are too large"];
    if (journey === undefined) throw new Error("there is no such journey");
    const artifact = await artifactOf(journey);
    for (const n of [1, 3, 5]) {
      const { kept, play } = await leave(artifact, journey, n);
      const result = await play(artifact, { resume: { checkpoint: JSON.parse(kept) } });
      expect(result).toMatchObject({ status: "aborted", error: { code: "limit" } });
      expect(result.error?.message).toContain("outputs of the run's steps are larger");
      expect(result.steps.filter(({ status }) => status === "passed").map(({ id: step }) => step)).toEqual(
        expect.arrayContaining(["s0", "s1", "s2", "s3", "s4"]),
      );
    }
  });

  test("can be left after every step again", async () => {
    for (const journey of Object.values(JOURNEYS)) {
      const artifact = await artifactOf(journey);
      const whole = target(journey);
      const expected = await whole.play(artifact, {});
      const { play, requests } = target(journey);
      let resume: RunOptions["resume"];
      let result: JourneyResult | undefined;
      while (result === undefined) {
        let kept = "";
        const onCheckpoint = (checkpoint: Checkpoint): "leave" => {
          kept = JSON.stringify(checkpoint);
          return "leave";
        };
        result = await play(
          artifact,
          resume === undefined ? { onCheckpoint } : { onCheckpoint, resume },
        ).catch((error: unknown) => {
          if (!(error instanceof RunLeft)) throw error;
          return undefined;
        });
        resume = { checkpoint: JSON.parse(kept === "" ? "{}" : kept) };
      }
      expect(toJson(comparable(result))).toBe(toJson(comparable(expected)));
      expect(wire(requests)).toEqual(wire(whole.requests));
    }
  });
});

describe("a checkpoint", () => {
  const journey = Object.values(JOURNEYS)[0] ?? { workflows: "" };

  test("contains no secret that the journey refers to, and no hidden input", async () => {
    const artifact = await artifactOf(journey);
    for (const n of [1, 2, 3]) {
      const { kept } = await leave(artifact, journey, n);
      expect(kept).not.toContain(SECRET);
      expect(kept).not.toContain(HIDDEN);
      expect(kept).toContain(BIG);
    }
  });

  test("of another artifact, or changed, is refused", async () => {
    const artifact = await artifactOf(journey);
    const other = await artifactOf(Object.values(JOURNEYS)[1] ?? journey);
    const { kept, play } = await leave(artifact, journey, 1);
    const checkpoint: Record<string, unknown> = JSON.parse(kept);
    await expect(play(other, { resume: { checkpoint } })).rejects.toThrow(/belongs to/);
    for (const change of [
      { checkpoint: "journey-checkpoint/2" },
      { place: { at: "step", index: 99 } },
      { place: { at: "transfer", step: "one", after: "onSuccess", action: "none" } },
      { place: { at: "teardown", next: 7, main: { status: "passed", outputs: {} } } },
      { counters: { steps: -1, requests: 0, workflows: 0 } },
      { vars: { v: { $integer: "x" } } },
      { vars: { v: { $text: [{ ref: "env:GONE" }, 1] } } },
      { inputs: [] },
      { more: 1 },
    ]) {
      const changed = play(artifact, { resume: { checkpoint: { ...checkpoint, ...change } } });
      await expect(changed).rejects.toThrow(CheckpointError);
    }
    await expect(play(artifact, { inputs: {}, resume: { checkpoint } })).rejects.toThrow(
      /input "pass", which has no value now/,
    );
  });
});

describe("only the teardown", () => {
  const journey = JOURNEYS["a failure, then a teardown of several entries"] ?? { workflows: "" };

  test("runs if the runner was lost in the main phase, which sends nothing more", async () => {
    const artifact = await artifactOf(journey);
    const { kept, play, requests } = await leave(artifact, journey, 1);
    const before = requests.length;
    const resume = { checkpoint: JSON.parse(kept), only: "teardown" } as const;
    const result = await play(artifact, { resume });
    expect(result).toMatchObject({
      status: "error",
      error: { code: "runner-lost" },
      teardown: { status: "passed" },
      acceptance: [{ status: "notRun" }],
    });
    expect(requests.slice(before).map(({ url }) => url)).toEqual(["https://api.example/d?id=5"]);
    expect(result.steps.map(({ id: step, phase, status }) => `${phase} ${step} ${status}`)).toEqual([
      "main make passed",
      "main use skipped",
      "main never skipped",
      "main drop skipped",
      "teardown drop passed",
      "teardown never skipped",
      "teardown drop skipped",
    ]);
  });

  test("keeps the result of a main phase that has ended", async () => {
    const artifact = await artifactOf(journey);
    for (const n of [2, 3, 4]) {
      const { kept, play } = await leave(artifact, journey, n);
      const resume = { checkpoint: JSON.parse(kept), only: "teardown" } as const;
      expect(await play(artifact, { resume })).toMatchObject({
        status: "failed",
        teardown: { status: "passed" },
      });
    }
  });
});
