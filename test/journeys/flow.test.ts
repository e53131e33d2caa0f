import { describe, expect, test } from "vitest";
import { exitCodeOf } from "@waymark/journeys/result/result.ts";
import { play } from "./support/fake.ts";
import { statuses } from "./support/run.ts";

const OK = { status: 200, body: {} };
const pathOf = (url: string) => new URL(url).pathname;

const failing = (onFailure: string) => `
  - workflowId: main
    steps:
      - { stepId: one, operationId: a, successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]${onFailure} }
      - { stepId: two, operationId: b }
      - { stepId: three, operationId: c }`;

const brokenA = ({ url }: { url: string }) => (pathOf(url) === "/a" ? { status: 404 } : OK);

const retrying = (action: string, more = "") => `
  - workflowId: main
    steps:
      - stepId: one
        operationId: a
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure:
          - ${action}
          - { name: else, type: goto, stepId: last }
      - { stepId: never, operationId: b }
      - { stepId: last, operationId: c }${more}`;

const made = ({ url }: { url: string }) =>
  pathOf(url) === "/b" ? "silence" : { status: 200, body: { id: 1 } };

describe("actions", () => {
  test("onSuccess goto skips the steps in between, with the reason", async () => {
    const { result } = await play({
      workflows: `
  - workflowId: main
    steps:
      - { stepId: one, operationId: a, onSuccess: [{ name: on, type: goto, stepId: three, criteria: [{ condition: $statusCode == 200 }] }] }
      - { stepId: two, operationId: b }
      - { stepId: three, operationId: c }`,
      answer: () => OK,
    });
    expect(statuses(result)).toEqual({ one: "passed", two: "skipped", three: "passed" });
    expect(result.steps.find(({ id }) => id === "two")?.reason).toBe("The workflow went another way.");
    expect(result.status).toBe("passed");
  });

  test("the first action whose criteria pass is used, and `end` ends with outputs", async () => {
    const { result } = await play({
      workflows: `
  - workflowId: main
    steps:
      - stepId: one
        operationId: a
        outputs: { x: $response.body#/x }
        onSuccess:
          - { name: no, type: goto, stepId: two, criteria: [{ condition: $response.body#/x == 2 }] }
          - { name: stop, type: end, criteria: [{ condition: $response.body#/x == 1 }] }
      - { stepId: two, operationId: b }
    outputs: { x: $steps.one.outputs.x }`,
      answer: () => ({ status: 200, body: { x: 1 } }),
    });
    expect(result).toMatchObject({ status: "passed", outputs: { x: 1 } });
    expect(statuses(result)).toEqual({ one: "passed", two: "skipped" });
  });

  test("a failure with a goto is handled; one without an action ends the journey", async () => {
    const handled = await play({
      workflows: failing(", onFailure: [{ name: go, type: goto, stepId: three }]"),
      answer: brokenA,
    });
    expect(handled.result.status).toBe("passed");
    expect(handled.result.steps[0]).toMatchObject({ status: "failed", handled: true });
    const broken = await play({ workflows: failing(""), answer: brokenA });
    expect(broken.result.status).toBe("failed");
    expect(statuses(broken.result)).toEqual({ one: "failed", two: "skipped", three: "skipped" });
    expect(exitCodeOf(broken.result)).toBe(1);
  });

  test("a workflow's actions and parameters apply to its steps, unless they have their own", async () => {
    const { result, requests } = await play({
      workflows: `
  - workflowId: main
    parameters: [{ name: X-A, in: header, value: all }, { name: X-B, in: header, value: all }]
    failureActions: [{ name: again, type: retry, retryLimit: 1 }]
    steps:
      - { stepId: one, operationId: a, successCriteria: [{ condition: $statusCode == 200 }], parameters: [{ name: x-a, in: header, value: own }] }`,
      answer: (_request, n) => (n === 1 ? { status: 500 } : OK),
    });
    expect(result.status).toBe("passed");
    expect(requests).toHaveLength(2);
    expect(requests[0]?.headers).toMatchObject({ "x-a": "own", "x-b": "all" });
  });
});

describe("retries", () => {
  test("are counted, wait, and when exhausted the next action applies", async () => {
    const { result, requests, elapsed } = await play({
      workflows: retrying("{ name: again, type: retry, retryAfter: 1.5, retryLimit: 3 }"),
      answer: ({ url }) => (pathOf(url) === "/a" ? { status: 500 } : OK),
    });
    expect(requests.filter(({ url }) => pathOf(url) === "/a")).toHaveLength(4);
    expect(elapsed).toBe(4500);
    expect(statuses(result)).toEqual({ one: "failed", never: "skipped", last: "passed" });
  });

  test("happen once without a retryLimit", async () => {
    const { requests } = await play({
      workflows: retrying("{ name: again, type: retry }"),
      answer: ({ url }) => (pathOf(url) === "/a" ? { status: 500 } : OK),
    });
    expect(requests.filter(({ url }) => pathOf(url) === "/a")).toHaveLength(2);
  });

  test.each([
    ["seconds", "7", 7000],
    ["a date", new Date(Date.UTC(2026, 0, 1) + 9000).toUTCString(), 9000],
    ["longer than the limit", "86400", 60_000],
  ])("wait as long as Retry-After says, in %s", async (_name, header, ms) => {
    const { elapsed } = await play({
      workflows: retrying("{ name: again, type: retry, retryAfter: 1 }"),
      answer: (_request, n) => (n === 1 ? { status: 503, headers: { "Retry-After": header } } : OK),
    });
    expect(elapsed).toBe(ms);
  });

  test("run a step or a workflow in between, and return", async () => {
    const inStep = await play({
      workflows: retrying("{ name: again, type: retry, stepId: last }"),
      answer: (_request, n) => (n === 1 ? { status: 401 } : OK),
    });
    expect(inStep.requests.map(({ url }) => pathOf(url))).toEqual(["/a", "/c", "/a", "/b", "/c"]);
    const inWorkflow = await play({
      workflows: retrying(
        "{ name: again, type: retry, workflowId: refresh, parameters: [{ name: who, value: me }] }",
        `
  - workflowId: refresh
    inputs: { type: object, required: [who], properties: { who: { type: string } } }
    steps: [{ stepId: renew, operationId: d, parameters: [{ name: who, in: query, value: $inputs.who }] }]`,
      ),
      answer: (_request, n) => (n === 1 ? { status: 401 } : OK),
    });
    expect(inWorkflow.requests.slice(0, 3).map(({ url }) => url.slice("https://api.example".length))).toEqual(
      ["/a", "/d?who=me", "/a"],
    );
  });
});

describe("workflows", () => {
  test("are called with inputs and return outputs, and the step can use the last response", async () => {
    const { result, requests } = await play({
      workflows: `
  - workflowId: main
    steps:
      - stepId: call
        workflowId: sub
        parameters: [{ name: color, value: blue }]
        successCriteria: [{ condition: $statusCode == 201 }]
        outputs: { made: $outputs.id }
      - { stepId: use, operationId: b, parameters: [{ name: id, in: query, value: $steps.call.outputs.made }] }
    outputs: { id: $workflows.sub.outputs.id }
  - workflowId: sub
    inputs: { type: object, required: [color], properties: { color: { type: string }, size: { type: integer, default: 3 } } }
    steps:
      - stepId: make
        operationId: aPost
        requestBody: { payload: { color: $inputs.color, size: $inputs.size } }
        outputs: { id: $response.body#/id }
    outputs: { id: $steps.make.outputs.id }`,
      answer: ({ method }) => (method === "POST" ? { status: 201, body: { id: 7 } } : OK),
    });
    expect(result).toMatchObject({ status: "passed", outputs: { id: 7 } });
    expect(requests[0]?.body).toBe('{"color":"blue","size":3}');
    expect(requests[1]?.url).toBe("https://api.example/b?id=7");
    expect(result.steps.map(({ id, workflow, calls }) => ({ id, workflow, calls }))).toEqual([
      { id: "make", workflow: "sub", calls: undefined },
      { id: "call", workflow: undefined, calls: "sub" },
      { id: "use", workflow: undefined, calls: undefined },
    ]);
  });

  test("that others depend on run first, once, and their failure stops the journey", async () => {
    const workflows = `
  - workflowId: main
    dependsOn: [setup]
    steps: [{ stepId: one, operationId: b, successCriteria: [{ condition: $workflows.setup.outputs.token == 't' }] }]
  - workflowId: setup
    steps: [{ stepId: login, operationId: a, successCriteria: [{ condition: $statusCode == 200 }], outputs: { t: $response.body#/t } }]
    outputs: { token: $steps.login.outputs.t }`;
    const good = await play({ workflows, answer: () => ({ status: 200, body: { t: "t" } }) });
    expect(good.result.status).toBe("passed");
    expect(good.requests.map(({ url }) => pathOf(url))).toEqual(["/a", "/b"]);
    const bad = await play({ workflows, answer: () => ({ status: 500 }) });
    expect(bad.result.status).toBe("failed");
    expect(statuses(bad.result)).toEqual({ login: "failed", one: "skipped" });
  });

  test("steps that wait for others run after them, in any order of the document", async () => {
    const { requests } = await play({
      workflows: `
  - workflowId: main
    steps:
      - { stepId: two, operationId: b, dependsOn: [one], parameters: [{ name: x, in: query, value: $steps.one.outputs.x }] }
      - { stepId: one, operationId: a, outputs: { x: $response.body#/x } }`,
      answer: () => ({ status: 200, body: { x: 1 } }),
    });
    expect(requests.map(({ url }) => url)).toEqual(["https://api.example/a", "https://api.example/b?x=1"]);
  });
});

describe("a step that waits for a step of another workflow (Arazzo 1.1, Step Object, dependsOn)", () => {
  const workflows = (more: string) => `
  - workflowId: main${more}
    steps: [{ stepId: one, operationId: b, dependsOn: [$workflows.pre.steps.login] }]
  - workflowId: pre
    steps: [{ stepId: login, operationId: a, successCriteria: [{ condition: $statusCode == 200 }] }]`;

  test("runs when that step has passed", async () => {
    const { result, requests } = await play({
      workflows: workflows("\n    dependsOn: [pre]"),
      answer: () => OK,
    });
    expect([result.status, requests.map(({ url }) => pathOf(url))]).toEqual(["passed", ["/a", "/b"]]);
  });

  test("doesn't make that step run, and fails when it hasn't", async () => {
    const { result, requests } = await play({ workflows: workflows(""), answer: () => OK });
    expect(requests).toEqual([]);
    expect(result.steps[0]).toMatchObject({
      status: "error",
      reason: expect.stringContaining("$workflows.pre.steps.login"),
    });
    expect(result.status).not.toBe("passed");
  });

  test("is refused if there is no such step", async () => {
    await expect(
      play({ workflows: workflows("").replace("steps.login]", "steps.logout]"), answer: () => OK }),
    ).rejects.toThrow('There is no step "$workflows.pre.steps.logout".');
  });
});

describe("time", () => {
  test("a step's timeout in milliseconds is enforced on a target that never answers", async () => {
    const { result, elapsed } = await play({
      workflows: "\n  - { workflowId: main, steps: [{ stepId: one, operationId: a, timeout: 250 }] }",
      answer: () => "silence",
    });
    expect(result.steps[0]).toMatchObject({
      status: "timedOut",
      reason: "There was no response within 250 ms.",
    });
    expect(result.status).toBe("failed");
    expect(elapsed).toBe(250);
  });

  test("a step's timeout holds for the workflow that it calls, whose teardown still runs", async () => {
    const { result, elapsed, requests } = await play({
      workflows: `
  - workflowId: main
    steps:
      - { stepId: call, workflowId: slow, timeout: 250, onFailure: [{ name: on, type: goto, stepId: after }] }
      - { stepId: after, operationId: c }
  - workflowId: slow
    steps:
      - { stepId: make, operationId: aPost }
      - { stepId: wait, operationId: b }
      - { stepId: drop, operationId: dPost }
    x-journey: { teardown: [{ step: drop }] }`,
      answer: ({ url }) => (pathOf(url) === "/b" ? "silence" : OK),
    });
    expect(result.steps.find(({ id }) => id === "call")).toMatchObject({
      status: "timedOut",
      reason: "The workflow did not end within 250 ms.",
    });
    expect(requests.map(({ url }) => pathOf(url))).toEqual(["/a", "/b", "/d", "/c"]);
    expect([result.status, elapsed]).toEqual(["passed", 250]);
  });

  const polling = `
  - workflowId: main
    steps:
      - stepId: wait
        operationId: a
        x-journey: { poll: { until: "$response.body#/state == 'done'", failWhen: "$response.body#/state == 'broken'", everyMs: 100, maxMs: 1000 } }`;

  test.each([
    ["done", 3, "passed", 200],
    ["broken", 2, "failed", 100],
    ["done", 99, "timedOut", 1000],
  ] as const)("polling ends when it is %s at request %i: %s", async (state, at, status, ms) => {
    const { result, elapsed } = await play({
      workflows: polling,
      answer: (_request, n) => ({ status: 200, body: { state: n >= at ? state : "waiting" } }),
    });
    expect(result.steps[0]?.status).toBe(status);
    expect(elapsed).toBe(ms);
  });
});

describe("teardown", () => {
  const workflows = `
  - workflowId: main
    steps:
      - { stepId: make, operationId: aPost, outputs: { id: $response.body#/id } }
      - { stepId: use, operationId: b, timeout: 100000 }
      - { stepId: drop, operationId: dPost, successCriteria: [{ condition: $statusCode == 200 }] }
    x-journey: { teardown: [{ step: drop, when: $steps.make.outputs.id != null }, { step: use, when: $inputs.no }] }`;

  test("runs after the run's time is over, and the run is still aborted", async () => {
    const { result, requests } = await play({ workflows, answer: made, options: { limits: { runMs: 500 } } });
    expect(result).toMatchObject({
      status: "aborted",
      error: { code: "limit" },
      teardown: { status: "passed" },
    });
    expect(exitCodeOf(result)).toBe(5);
    expect(requests.at(-1)?.url).toBe("https://api.example/d");
    expect(statuses(result, "teardown")).toEqual({ drop: "passed", use: "skipped" });
  });

  test("runs after a cancellation", async () => {
    const controller = new AbortController();
    const { result } = await play({
      workflows,
      answer: (request) => {
        if (pathOf(request.url) === "/b") controller.abort();
        return made(request);
      },
      options: { signal: controller.signal },
    });
    expect(result).toMatchObject({
      status: "aborted",
      error: { code: "cancelled" },
      teardown: { status: "passed" },
    });
  });

  test("that fails has its own status and never hides or changes the journey's", async () => {
    const { result } = await play({
      workflows,
      answer: ({ url }) =>
        pathOf(url) === "/d"
          ? { status: 500 }
          : pathOf(url) === "/b"
            ? "refused"
            : { status: 200, body: { id: 1 } },
    });
    expect(result).toMatchObject({
      status: "error",
      error: { code: "unreachable", step: "use" },
      teardown: { status: "failed" },
    });
    expect(exitCodeOf(result)).toBe(4);
  });
});
