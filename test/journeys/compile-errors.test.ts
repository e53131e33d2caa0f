import { describe, expect, test } from "vitest";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { buildText } from "./support/build.ts";

const SOURCE: LoadedSource = {
  type: "openapi",
  url: "https://api.example/x",
  document: {
    openapi: "3.1.0",
    security: [{ key: [] }],
    paths: {
      "/a": { get: { operationId: "a", responses: {} }, post: { operationId: "same", responses: {} } },
      "/a/{id}": {
        get: { operationId: "item", responses: {} },
        post: { operationId: "same", responses: {} },
      },
    },
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
  },
};

async function problemsOf(text: string) {
  const built = await buildText(text, { file: "t.yaml", sources: { api: SOURCE } });
  return built.problems.map(({ code, line, severity }) => `${severity} ${code} ${line}`);
}

const HEAD = `arazzo: 1.1.0
info: { title: T, version: 1.0.0 }
sourceDescriptions: [{ name: api, url: x, type: openapi }]
workflows:
`;

describe("compile errors", () => {
  test("are all reported at once, each with its line", async () => {
    const problems = await problemsOf(`${HEAD}  - workflowId: main
    inputs: { type: object, properties: { key: { type: string } } }
    steps:
      - stepId: one
        operationId: nowhere
      - stepId: one
        operationId: same
      - stepId: two
        operationId: item
      - stepId: three
        operationId: a
        parameters:
          - { name: q, in: query, value: $steps.five.outputs.x }
          - { name: r, in: query, value: $steps.never.outputs.x }
          - { name: s, in: query, value: $inputs.unknown }
          - { name: t, in: query, value: $steps.four.nothing }
          - { name: X-Key, in: header, value: abc }
        successCriteria:
          - condition: $statusCode = 200
          - { condition: "(", type: regex, context: $response.body }
          - { x-id: same, condition: $statusCode == 200 }
          - { x-id: same, condition: $statusCode == 200 }
        onSuccess:
          - { name: go, type: goto, stepId: away }
      - stepId: four
        operationId: a
        dependsOn: [gone]
      - stepId: five
        operationId: a
        outputs: { x: $response.body#/x }
      - stepId: six
        workflowId: sub
    x-journey:
      secrets: { other: { ref: env:OTHER } }
      teardown: [{ step: lost }]
      acceptanceCriteria:
        - { id: AC, text: t, severity: must, provenBy: [three#none] }
        - { id: AC, text: t, severity: must }
  - workflowId: sub
    inputs: { type: object, required: [must, may], properties: { must: { type: string }, may: { type: string, default: x } } }
    steps: [{ stepId: s, operationId: a }]
`);
    expect(problems.filter((problem) => problem.startsWith("error"))).toEqual([
      "error unknown-operation 9",
      "error duplicate-id 10",
      "error ambiguous-operation 11",
      "error missing-path-parameter 12",
      "error unknown-step 18",
      "error unknown-output 20",
      "error secret-literal 21",
      "error invalid-condition 23",
      "error invalid-condition 24",
      "error duplicate-id 26",
      "error unknown-step 28",
      "error unknown-step 31",
      "error missing-input 35",
      "error unknown-input 38",
      "error unknown-step 39",
      "error unknown-criterion 41",
      "error duplicate-id 42",
    ]);
  });

  test.each([
    ["a default", "{ type: string, format: password, default: hunter2 }"],
    ["a constant", "{ type: string, const: hunter2 }"],
  ])("a secret with %s is refused", async (_name, schema) => {
    const problems = await problemsOf(`${HEAD}  - workflowId: main
    inputs: { type: object, properties: { key: ${schema} } }
    steps: [{ stepId: s, operationId: a }]
    x-journey: { secrets: { key: { ref: env:KEY } } }
`);
    expect(problems).toEqual(["error secret-literal 6"]);
  });

  test("steps that wait for each other are named", async () => {
    const built = await buildText(
      `${HEAD}  - workflowId: main
    steps:
      - { stepId: x, operationId: a, dependsOn: [y] }
      - { stepId: y, operationId: a, dependsOn: [x] }
`,
      { file: "t.yaml", sources: { api: SOURCE } },
    );
    expect(built.problems.find(({ code }) => code === "circular-dependency")?.message).toContain("x → y → x");
  });

  test("without a main workflow, the caller must choose one", async () => {
    const built = await buildText(
      `${HEAD}  - { workflowId: x, steps: [{ stepId: s, operationId: a }] }
  - { workflowId: y, steps: [{ stepId: s, operationId: a }] }
`,
      { file: "t.yaml", sources: { api: SOURCE } },
    );
    expect(built.problems.filter(({ severity }) => severity === "error")).toMatchObject([
      { code: "no-entry", message: expect.stringContaining("x, y") },
    ]);
  });
});
