import { describe, expect, test } from "vitest";
import { play } from "./support/fake.ts";

const OK = { status: 200, body: {} };
const one = (more = "") => `\n  - { workflowId: main, steps: [{ stepId: one, operationId: a${more} }] }`;

describe("a hostile document", () => {
  test("with a million retries is stopped at the limit", async () => {
    const { result, requests } = await play({
      workflows: one(
        ", successCriteria: [{ condition: $statusCode == 200 }], onFailure: [{ name: on, type: retry, retryLimit: 1000000 }]",
      ),
      answer: () => ({ status: 500 }),
    });
    expect(requests).toHaveLength(101);
    expect(result).toMatchObject({ status: "aborted", error: { code: "limit" } });
  });

  test("with an endless loop is stopped at the limit of steps", async () => {
    const { result, requests } = await play({
      workflows: one(", onSuccess: [{ name: on, type: goto, stepId: one }]"),
      answer: () => OK,
    });
    expect(requests).toHaveLength(1000);
    expect(result).toMatchObject({ status: "aborted", error: { code: "limit" } });
  });

  test("whose workflows call themselves is stopped at the limit of depth", async () => {
    const { result } = await play({
      workflows: "\n  - { workflowId: main, steps: [{ stepId: one, workflowId: main }] }",
      answer: () => OK,
    });
    expect(result).toMatchObject({
      status: "aborted",
      error: { message: expect.stringContaining("20 deep") },
    });
  });

  test("can't reach a prototype by any expression", async () => {
    const { result } = await play({
      workflows: one(
        ", outputs: { a: $response.body#/constructor, b: $response.body#/__proto__/x, c: $response.header.constructor }",
      ),
      answer: () => ({ status: 200, body: '{"__proto__": {"x": 1}, "k": 2}' }),
    });
    expect(result.steps[0]?.outputs).toEqual({ a: null, b: 1, c: null });
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });

  test("can't set a prototype by a payload or a replacement", async () => {
    const { requests } = await play({
      workflows: `
  - workflowId: main
    steps:
      - stepId: one
        operationId: aPost
        requestBody:
          payload: '{"__proto__": {"polluted": "{$inputs.x}"}, "k": 1, "constructor": 0}'
          replacements: [{ target: /__proto__/polluted, value: 2 }, { target: /constructor, value: 3 }]
    inputs: { type: object, properties: { x: { type: string, default: y } } }`,
      answer: () => OK,
    });
    expect(requests[0]?.body).toBe('{"__proto__":{"polluted":2},"k":1,"constructor":3}');
    expect("polluted" in {}).toBe(false);
  });

  test("can't inject a header into a request", async () => {
    const { result, requests } = await play({
      workflows: one(', parameters: [{ name: X-A, in: header, value: "a\\r\\nX-Admin: 1" }]'),
      answer: () => OK,
    });
    expect(requests).toEqual([]);
    expect(result.steps[0]).toMatchObject({ status: "error", reason: expect.stringContaining("line break") });
  });
});

function roundAndRound(_request: unknown, n: number) {
  return { status: 302, headers: { Location: `/b?${n}` } };
}

function leadAway(_request: unknown, n: number) {
  return n === 1 ? { status: 307, headers: { Location: "http://169.254.169.254/meta" } } : OK;
}

describe("a hostile target", () => {
  test("that redirects endlessly is stopped at the limit, if redirects are followed", async () => {
    const following = await play({
      workflows: one(),
      answer: roundAndRound,
      options: { followRedirects: true },
    });
    expect(following.requests).toHaveLength(11);
    expect(following.result).toMatchObject({ status: "aborted", error: { code: "limit" } });
    const plain = await play({
      workflows: one(", successCriteria: [{ condition: $statusCode == 302 }]"),
      answer: roundAndRound,
    });
    expect(plain.result.status).toBe("passed");
    expect(plain.requests).toHaveLength(1);
  });

  test("gets no credentials by redirecting to another origin, and nothing that the policy forbids", async () => {
    const workflows = `
  - workflowId: main
    inputs: { type: object, properties: { t: { type: string, format: password, description: x } } }
    steps: [{ stepId: one, operationId: a, parameters: [{ name: Authorization, in: header, value: "Bearer {$inputs.t}" }, { name: X-Key, in: header, value: $inputs.t }] }]`;
    const options = { followRedirects: true, inputs: { t: "secret-token" } };
    const open = await play({ workflows, answer: leadAway, options });
    expect(open.requests[1]?.headers).not.toHaveProperty("authorization");
    expect(open.requests[1]?.headers).not.toHaveProperty("x-key");
    expect(open.result.steps[0]?.notes).toEqual([expect.stringContaining("without authorization, x-key")]);
    const guarded = await play({
      workflows,
      answer: leadAway,
      options,
      deps: {
        policy: ({ url }) =>
          url.hostname === "api.example" ? { allowed: true } : { allowed: false, reason: "private" },
      },
    });
    expect(guarded.requests).toHaveLength(1);
    expect(guarded.result.error?.code).toBe("forbidden");
  });

  test("gets no secret in a body by redirecting to another origin: then the redirect is the response", async () => {
    const workflows = (secret: boolean) => `
  - workflowId: main
    inputs: { type: object, properties: { t: { type: string${secret ? ", format: password" : ""} } } }
    steps: [{ stepId: one, operationId: aPost, requestBody: { payload: { word: $inputs.t } } }]`;
    const options = { followRedirects: true, inputs: { t: "a-word-of-mine" } };
    const kept = await play({ workflows: workflows(true), answer: leadAway, options });
    expect(kept.requests.map(({ url }) => url)).toEqual(["https://api.example/a"]);
    expect(kept.result.coverage.operations[0]?.statuses).toEqual([307]);
    expect(kept.result.steps[0]?.notes).toEqual([
      expect.stringMatching(
        /^The redirect to http:\/\/\S+ was not followed: the body that it asks for holds a secret\.$/,
      ),
    ]);
    const open = await play({ workflows: workflows(false), answer: leadAway, options });
    expect(open.requests).toHaveLength(2);
  });

  test("whose policy check never ends costs no more than the step's time", async () => {
    const { result, requests, elapsed } = await play({
      workflows: one(", timeout: 300"),
      answer: () => OK,
      deps: { policy: () => new Promise(() => {}) },
    });
    expect([result.steps[0]?.status, requests, elapsed]).toEqual(["timedOut", [], 300]);
  });

  test("that sends more than the limit is cut off, and the result says so", async () => {
    const { result } = await play({
      workflows: one(),
      answer: () => ({ status: 200, body: `"${"x".repeat(100_000)}"` }),
      options: { limits: { responseBytes: 1_000 } },
    });
    expect(result.steps[0]?.evidence).toMatchObject({ truncated: true, response: { bodyBytes: 1_000 } });
    expect(JSON.stringify(result).length).toBeLessThan(5_000);
  });

  test("that nests endlessly is read as text", async () => {
    const { result } = await play({
      workflows: one(
        ", successCriteria: [{ condition: $response.body#/0/0/0 == null }], outputs: { all: $response.body }",
      ),
      answer: () => ({ status: 200, body: "[".repeat(200_000) + "]".repeat(200_000) }),
    });
    expect(result.status).toBe("passed");
  });

  test("that requests a wait of years gets a minute", async () => {
    const { elapsed } = await play({
      workflows: one(
        ", successCriteria: [{ condition: $statusCode == 200 }], onFailure: [{ name: on, type: retry }]",
      ),
      answer: () => ({ status: 503, headers: { "Retry-After": "999999999" } }),
    });
    expect(elapsed).toBe(60_000);
  });
});
