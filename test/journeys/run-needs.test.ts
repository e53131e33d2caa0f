import { describe, expect, test } from "vitest";
import { exitCodeOf } from "@waymark/journeys/result/result.ts";
import { play } from "./support/fake.ts";

const OK = { status: 200, body: {} };

test("inputs refer to a schema by its plain name (Arazzo 1.1, Resolving URI Fragments)", async () => {
  const { requests } = await play({
    workflows: `
  - workflowId: main
    inputs: { $ref: '#page' }
    steps: [{ stepId: one, operationId: a, parameters: [{ name: size, in: query, value: $inputs.size }] }]
components:
  inputs: { paging: { $anchor: page, type: object, properties: { size: { $ref: '#size' } } }, other: { $anchor: size, type: integer, default: 4 } }`,
    answer: () => OK,
  });
  expect(requests[0]?.url).toBe("https://api.example/a?size=4");
});

test("a default beside a reference applies, also for a required input", async () => {
  const { result, requests } = await play({
    workflows: `
  - workflowId: main
    inputs:
      type: object
      required: [size]
      properties: { size: { $ref: '#/components/inputs/size', default: 7 } }
    steps: [{ stepId: one, operationId: a, parameters: [{ name: size, in: query, value: $inputs.size }] }]
components:
  inputs: { size: { type: integer, default: 4 } }`,
    answer: () => OK,
  });
  expect(result.status).toBe("passed");
  expect(requests[0]?.url).toBe("https://api.example/a?size=7");
});

describe("the requirements of a run", () => {
  const workflows = `
  - workflowId: main
    inputs: { type: object, required: [n, key], properties: { n: { type: integer, minimum: 1 }, key: { type: string } } }
    steps: [{ stepId: one, operationId: a }]
    x-journey: { secrets: { key: { ref: env:KEY } } }`;

  test.each([
    ["a missing secret", { n: 1 }, undefined, "missing-secret", "env:KEY"],
    ["a missing input", {}, "k", "missing-input", "n"],
    ["an invalid input", { n: 0 }, "k", "invalid-input", "must be >= 1"],
  ] as const)("%s sends nothing and says what is wrong", async (_name, inputs, secret, code, words) => {
    const { result, requests } = await play({
      workflows,
      answer: () => OK,
      options: { inputs },
      ...(secret === undefined ? {} : { secret }),
    });
    expect(requests).toEqual([]);
    expect(result).toMatchObject({
      status: "error",
      error: { code, message: expect.stringContaining(words) },
    });
    expect(exitCodeOf(result)).toBe(3);
  });

  test("a target that is not allowed is never called", async () => {
    const { result, requests } = await play({
      workflows: "\n  - { workflowId: main, steps: [{ stepId: one, operationId: a }] }",
      answer: () => OK,
      deps: { policy: ({ url }) => ({ allowed: false, reason: `${url.hostname} is private` }) },
    });
    expect(requests).toEqual([]);
    expect(result.error).toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("api.example is private"),
    });
  });

  test("a call's method may be in lower case, as other tools with x-operation write it", async () => {
    const { requests } = await play({
      workflows: `
  - workflowId: main
    steps: [{ stepId: one, x-operation: { url: "https://elsewhere.example/x", method: post } }]`,
      answer: () => OK,
    });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST https://elsewhere.example/x",
    ]);
  });

  test("calls outside every source are reported as not in the inventory, by the path of the document", async () => {
    const { result, requests } = await play({
      workflows: `
  - workflowId: main
    inputs: { type: object, properties: { host: { type: string, default: elsewhere.example } } }
    steps:
      - { stepId: one, x-operation: { url: "https://{$inputs.host}/x/{id}", method: GET }, parameters: [{ name: id, in: path, value: "a/b" }] }
      - { stepId: two, x-operation: { url: "https://{$inputs.host}/x/{id}", method: GET }, parameters: [{ name: id, in: path, value: "c" }] }`,
      answer: () => OK,
    });
    expect(requests[0]?.url).toBe("https://elsewhere.example/x/a%2Fb");
    expect(result.coverage.notInInventory).toEqual([
      { method: "GET", url: "https://elsewhere.example/x/{id}", calls: 2 },
    ]);
  });
});

describe("contract checks", () => {
  const source = {
    openapi: "3.1.0",
    servers: [{ url: "https://api.example" }],
    paths: {
      "/a": {
        get: {
          operationId: "a",
          responses: {
            200: {
              content: {
                "application/json": { schema: { type: "object", properties: { n: { type: "integer" } } } },
              },
            },
          },
        },
      },
    },
  };
  const workflows = "\n  - { workflowId: main, steps: [{ stepId: one, operationId: a }] }";

  test.each([
    [
      { status: 200, body: { n: "x" } },
      { check: "response-schema", pointer: "/n" },
    ],
    [{ status: 202, body: {} }, { check: "status-documented" }],
    [{ status: 200, body: "<x/>", type: "text/xml" }, { check: "content-type-documented" }],
  ])("%j violates the contract, and fails the run only with strict contracts", async (answer, check) => {
    const loose = await play({ workflows, source, answer: () => answer });
    expect(loose.result.status).toBe("passed");
    expect(loose.result.contract).toMatchObject({ status: "failed", failures: 1 });
    expect(loose.result.steps[0]?.contract.at(-1)).toMatchObject({ status: "failed", ...check });
    const strict = await play({ workflows, source, answer: () => answer, options: { strictContract: true } });
    expect(strict.result.status).toBe("failed");
  });
});
