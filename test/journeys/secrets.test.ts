import { describe, expect, test } from "vitest";
import type { StepResult } from "@waymark/journeys/result/result.ts";
import { play } from "./support/fake.ts";
import type { FakeAnswer, Scenario } from "./support/fake.ts";

const OBTAINED = "obtained-0123456789";

/** Runs workflows whose operation `a` returns a value with a neutral name. Keeps the steps as reported during the run. */
async function playLogin(workflows: string, more: Partial<Scenario> = {}) {
  const told: StepResult[] = [];
  const played = await play({
    workflows,
    answer: ({ url }): FakeAnswer =>
      new URL(url).pathname === "/a"
        ? { status: 200, body: { v: OBTAINED, deep: { v: OBTAINED, id: "an-ordinary-id" } } }
        : { status: 200, body: {} },
    ...more,
    options: { onStep: (step) => told.push(structuredClone(step)), ...more.options },
  });
  return { ...played, told };
}

const LOGIN = "{ stepId: login, operationId: a, outputs: { v: $response.body#/v } }";
const sends = (value: string) =>
  `{ stepId: use, operationId: b, parameters: [{ name: Authorization, in: header, value: ${value} }] }`;

describe("an output that is sent as a credential is a secret before its step is reported", () => {
  test.each([
    ["alone", `steps: [${LOGIN}, ${sends("$steps.login.outputs.v")}]`],
    ["in a template", `steps: [${LOGIN}, ${sends('"Bearer {$steps.login.outputs.v}"')}]`],
    [
      "from a template that took it from the response",
      `steps: [{ stepId: login, operationId: a, outputs: { v: "Bearer {$response.body#/v}" } }, ${sends("$steps.login.outputs.v")}]`,
    ],
    [
      "through a selector",
      `steps: [{ stepId: login, operationId: a, outputs: { v: $response.body#/deep } }, ${sends("{ context: $steps.login.outputs.v, selector: $.v, type: jsonpath }")}]`,
    ],
    [
      "as a cookie",
      `steps: [${LOGIN}, { stepId: use, operationId: b, parameters: [{ name: sid, in: cookie, value: $steps.login.outputs.v }] }]`,
    ],
    [
      "under a telling name in a payload",
      `steps: [${LOGIN}, { stepId: use, operationId: bPost, requestBody: { payload: { list: [{ refresh_token: $steps.login.outputs.v }] } } }]`,
    ],
    [
      "under a telling name in the text of a payload",
      `steps: [${LOGIN}, { stepId: use, operationId: bPost, requestBody: { contentType: application/json, payload: '{"token": "{$steps.login.outputs.v}"}' } }]`,
    ],
    [
      "by a replacement",
      `steps: [${LOGIN}, { stepId: use, operationId: bPost, requestBody: { payload: { token: x }, replacements: [{ target: /token, value: $steps.login.outputs.v }] } }]`,
    ],
    [
      "in the query of a call outside every source",
      `steps: [${LOGIN}, { stepId: use, x-operation: { method: GET, url: "https://api.example/b?access_token={$steps.login.outputs.v}" } }]`,
    ],
    [
      "by a sub-workflow",
      `steps: [${LOGIN}, { stepId: use, workflowId: sub, parameters: [{ name: given, value: $steps.login.outputs.v }] }]
  - workflowId: sub
    inputs: { type: object, properties: { given: { type: string } } }
    steps: [${sends("$inputs.given")}]`,
    ],
    [
      "by a workflow that a goto leads to",
      `steps: [{ stepId: login, operationId: a, outputs: { v: $response.body#/v }, onSuccess: [{ name: on, type: goto, workflowId: sub, parameters: [{ name: given, value: $steps.login.outputs.v }] }] }]
  - workflowId: sub
    inputs: { type: object, properties: { given: { type: string } } }
    steps: [${sends("$inputs.given")}]`,
    ],
    [
      "after a sub-workflow obtained it",
      `steps: [{ stepId: call, workflowId: sub, outputs: { passed: $outputs.v } }, ${sends("$steps.call.outputs.passed")}]
  - workflowId: sub
    steps: [${LOGIN}]
    outputs: { v: $steps.login.outputs.v }`,
    ],
    [
      "as a part of an output",
      `steps: [{ stepId: login, operationId: a, outputs: { all: $response.body } }, ${sends("$steps.login.outputs.all#/v")}]`,
    ],
    [
      "by its telling name alone",
      "steps: [{ stepId: login, operationId: a, outputs: { sessionToken: $response.body#/v } }]",
    ],
    [
      "by the document's word",
      "steps: [{ stepId: login, operationId: a, outputs: { v: $response.body#/v }, x-journey: { secretOutputs: [v] } }]",
    ],
    [
      "by the document's word on a workflow's output",
      `steps: [${LOGIN}]
    outputs: { v: $steps.login.outputs.v }
    x-journey: { secretOutputs: [v] }`,
    ],
  ])("%s", async (_name, workflow) => {
    const { told, result } = await playLogin(`\n  - workflowId: main\n    ${workflow}`);
    expect(result.status).toBe("passed");
    expect(JSON.stringify(told[0]?.evidence)).toContain("[redacted]");
    expect(JSON.stringify(told)).not.toContain(OBTAINED);
    expect(JSON.stringify(result)).not.toContain(OBTAINED);
  });
});

test("only the sent part is redacted", async () => {
  const { result } = await playLogin(`
  - workflowId: main
    steps:
      - { stepId: login, operationId: a, outputs: { all: $response.body, id: $response.body#/deep/id, next_page_token: $response.body#/deep/id } }
      - ${sends("$steps.login.outputs.all#/v")}`);
  expect(result.steps[0]?.outputs).toEqual({
    all: { v: "[redacted]", deep: { v: "[redacted]", id: "an-ordinary-id" } },
    id: "an-ordinary-id",
    next_page_token: "an-ordinary-id",
  });
});

test("secrets found later in responses, cookies and requests are removed from earlier steps", async () => {
  const workflows = `
  - workflowId: main
    steps: [{ stepId: one, operationId: a, outputs: { v: $response.body#/v } }, { stepId: two, operationId: b }]`;
  const answers: FakeAnswer[] = [
    { status: 200, body: { client_secret: OBTAINED, token_type: "Bearer", expires_in: 3600 } },
    {
      status: 200,
      body: `client_secret=${OBTAINED}&token_type=Bearer`,
      type: "application/x-www-form-urlencoded",
    },
    { status: 200, body: `<r><ns:token a="b">${OBTAINED}</ns:token></r>`, type: "text/xml" },
    { status: 200, headers: { "set-cookie": `sid=${OBTAINED}; Path=/a-path-of-mine` } },
    { status: 200, headers: { "x-auth-token": OBTAINED } },
  ];
  for (const second of answers) {
    const { result } = await playLogin(workflows, {
      answer: ({ url }) =>
        url.endsWith("/a") ? { status: 200, body: { v: OBTAINED, w: "3600 Bearer" } } : second,
    });
    expect(JSON.stringify(result)).not.toContain(OBTAINED);
    expect(result.steps[0]).toMatchObject({ outputs: { v: "[redacted]" }, evidence: { redactions: 1 } });
    expect(result.steps[0]?.evidence?.response?.body).toContain("3600 Bearer");
  }
});

test("evidence never shows the value of a credential header, however short it is", async () => {
  const { result } = await playLogin(
    `
  - workflowId: main
    steps: [{ stepId: one, operationId: a, parameters: [{ name: Cookie, in: header, value: "a=b" }, { name: X-Api-Key, in: header, value: k }, { name: X-Other, in: header, value: o }] }]`,
    { answer: () => ({ status: 200, headers: { "Set-Cookie": "c=d", "www-authenticate": "Basic" } }) },
  );
  const { request, response } = result.steps[0]?.evidence ?? {};
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    Cookie: "[redacted]",
    "X-Api-Key": "[redacted]",
    "X-Other": "o",
  });
  expect(Object.fromEntries(response?.headers ?? [])).toEqual({
    "Set-Cookie": "[redacted]",
    "www-authenticate": "Basic",
  });
});

test("a name in the result that equals a secret is not changed", async () => {
  const { result } = await playLogin(
    "\n  - { workflowId: main, steps: [{ stepId: passed, operationId: a }, { stepId: two, operationId: b }] }",
    { answer: () => ({ status: 200, body: { password: "statusCode", secret: "operation" } }) },
  );
  expect(result).toMatchObject({
    status: "passed",
    steps: [{ id: "passed", operation: { path: "/a" } }, {}],
  });
});

test("Proxy-Authorization of a document is not sent", async () => {
  const { requests } = await playLogin(`
  - workflowId: main
    steps: [{ stepId: one, operationId: a, parameters: [{ name: Proxy-Authorization, in: header, value: "Basic eDp5" }] }]`);
  expect(requests[0]?.headers).not.toHaveProperty("proxy-authorization");
});
