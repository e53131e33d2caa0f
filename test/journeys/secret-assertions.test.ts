import { describe, expect, test } from "vitest";
import { buildText } from "./support/build.ts";

const HEAD = (own: boolean) => `arazzo: 1.1.0
info: { title: T, version: 1.0.0${own ? ", x-journey: { schema: 1 }" : ""} }
sourceDescriptions: []
workflows:
`;
const CALL = 'x-operation: { method: GET, url: "https://api.example/" }';

async function problemsOf(workflows: string, own = true): Promise<string[]> {
  const built = await buildText(HEAD(own) + workflows, { file: "t.yaml", sources: {} });
  return built.problems.map(({ severity, code, line }) => `${severity} ${code} ${line}`);
}

/** A journey with a secret input, a token that is sent, and a list of criteria on the line of the last step. */
const journey = (criteria: string): string => `  - workflowId: main
    inputs: { type: object, properties: { pass: { type: string, format: password }, word: { type: string } } }
    steps:
      - { stepId: login, ${CALL}, outputs: { t: $response.body#/v, id: $response.body#/id, both: "{$response.body#/id} {$inputs.pass}" } }
      - { stepId: send, ${CALL}, parameters: [{ name: Authorization, in: header, value: $steps.login.outputs.t }], successCriteria: [${criteria}] }
`;

describe("a condition whose outcome reveals a secret", () => {
  test.each([
    "{ condition: $inputs.pass == 'guess' }",
    "{ condition: $inputs.pass == $inputs.word }",
    "{ condition: $inputs.pass > 'm' }",
    "{ condition: $steps.login.outputs.t != 'x' }",
    "{ condition: $steps.login.outputs.both == 'x' }",
    "{ condition: $statusCode == 200 && !($inputs.pass == 'x') }",
    "{ context: $inputs.pass, type: regex, condition: ^a }",
    "{ context: $response.body, type: regex, condition: '{$inputs.pass}' }",
    "{ context: $request.header.Authorization, type: regex, condition: ^a }",
    "{ condition: $request.header.authorization == 'x' }",
    "{ condition: $steps.login.outputs.t != $inputs.pass }",
    "{ condition: $steps.login.outputs.both == $inputs.pass }",
  ])("is an error: %s", async (criterion) => {
    expect(await problemsOf(journey(criterion))).toEqual(["error assertion-on-secret 9"]);
  });

  test.each([
    "{ condition: $inputs.pass != null }",
    "{ condition: $inputs.pass }",
    "{ condition: $steps.login.outputs.t != $request.header.authorization }",
    "{ condition: $steps.login.outputs.id == 'x' }",
    "{ condition: $inputs.word == 'x' }",
    "{ context: $response.body#/access_token, type: regex, condition: ^ey }",
  ])("may test whether it exists, whether two are equal, and the response: %s", async (criterion) => {
    expect(await problemsOf(journey(criterion))).toEqual([]);
  });

  test("is also found in actions, polls, teardowns and sub-workflows", async () => {
    const workflows = `  - workflowId: main
    inputs: { type: object, properties: { pass: { type: string, format: password } } }
    steps:
      - { stepId: one, ${CALL}, onFailure: [{ name: on, type: end, criteria: [{ condition: $inputs.pass == 'x' }] }] }
      - { stepId: two, ${CALL}, x-journey: { poll: { until: $inputs.pass == 'x', everyMs: 1, maxMs: 2 } } }
      - { stepId: three, workflowId: sub, parameters: [{ name: word, value: $inputs.pass }] }
    x-journey: { teardown: [{ step: one, when: $inputs.pass == 'x' }] }
  - workflowId: sub
    inputs: { type: object, properties: { word: { type: string } } }
    steps: [{ stepId: s, ${CALL}, successCriteria: [{ condition: $inputs.word == 'x' }] }]
`;
    expect(await problemsOf(workflows)).toEqual(
      [8, 9, 11, 14].map((line) => `error assertion-on-secret ${line}`),
    );
  });

  test("is a warning in the document of another tool, which doesn't know this rule", async () => {
    const problems = await problemsOf(journey("{ condition: $inputs.pass == 'x' }"), false);
    expect(problems).toEqual(["warning assertion-on-secret 9"]);
  });
});

describe("a literal credential in the document", () => {
  const literal = `  - workflowId: main
    steps: [{ stepId: s, ${CALL}, parameters: [{ name: Authorization, in: header, value: Bearer abc }] }]
`;
  const example = `  - workflowId: main
    inputs: { type: object, properties: { p: { type: string, format: password, example: hunter2 } } }
    steps: [{ stepId: s, ${CALL} }]
`;

  test("is an error in a journey, and a warning in the document of another tool", async () => {
    // A call outside every source has no security scheme, so the header's name alone decides.
    expect(await problemsOf(literal)).toEqual(["error secret-literal 6"]);
    expect(await problemsOf(literal, false)).toEqual(["warning secret-literal 6"]);
    expect(await problemsOf(example)).toEqual(["error secret-literal 6"]);
    expect(await problemsOf(example, false)).toEqual(["warning secret-literal 6"]);
  });

  test("declared outputs that don't exist are errors", async () => {
    const declared = `  - workflowId: main
    steps: [{ stepId: s, ${CALL}, x-journey: { secretOutputs: [gone] } }]
    outputs: { x: $statusCode }
    x-journey: { secretOutputs: [x, lost] }
`;
    expect(await problemsOf(declared)).toEqual(["error unknown-output 6", "error unknown-output 8"]);
  });
});
