import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ARAZZO_DOCUMENTS, WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { parseDocument } from "../document/parse.ts";
import { checkDocument } from "./check-document.ts";

const SOUND = `arazzo: 1.1.0
info: { title: T, version: 1.0.0 }
sourceDescriptions: [{ name: items, url: ./items.yaml }]
workflows:
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    steps:
      - stepId: create
        operationId: createItem
        successCriteria: [{ x-id: ok, condition: $statusCode == 201 }]
      - stepId: read
        operationId: getItem
        dependsOn: [create]
    x-journey:
      secrets: { token: { ref: env:TOKEN } }
      vars: { id: { generate: uuid }, limit: 5 }
      teardown: [{ step: read }]
      acceptanceCriteria: [{ id: A, text: t, severity: must, provenBy: [create#ok] }]
`;

function lint(text: string): string[] {
  return checkDocument(parseDocument(text, { file: "t.yaml" })).map(
    ({ severity, line, code }) => `${line} ${severity} ${code}`,
  );
}

/** Replaces an existing part of the valid document. */
function withChange(from: string, to: string): string {
  expect(SOUND).toContain(from);
  return SOUND.replace(from, () => to);
}

describe("a text that looks like an expression and is sent as it is", () => {
  const sent = (value: string) =>
    lint(
      withChange(
        "operationId: getItem",
        `operationId: getItem\n        parameters: [{ name: q, in: query, value: ${JSON.stringify(value)} }]`,
      ),
    );

  test.each(["{$now}", "a {$input.id} b", "$input.id", "$step.create.outputs.id", "$env.TOKEN"])(
    "%j is a warning",
    (text) => {
      expect(sent(text)).toEqual(["13 warning text-like-expression"]);
    },
  );

  test.each([
    "$5.00",
    "$ecret",
    "$",
    "{$set: {a: 1}}",
    '{"$ref": "#/a"}',
    "query($id: ID!) {a}",
    "{$vars.id}",
    "$vars.id",
    "$.items[0]",
  ])("%j is not", (text) => {
    expect(sent(text)).toEqual([]);
  });

  test("is found in a payload, a replacement and the parameters of a workflow", () => {
    const text = withChange(
      "operationId: getItem",
      `operationId: getItem
        requestBody:
          payload: { list: [{ at: "{$now}" }] }
          replacements: [{ target: /a, value: "$input.id" }]`,
    ).replace(
      "  - workflowId: main",
      `  - workflowId: main\n    parameters: [{ name: q, in: query, value: "$now.iso" }]`,
    );
    expect(lint(text)).toEqual([
      "6 warning text-like-expression",
      "15 warning text-like-expression",
      "16 warning text-like-expression",
    ]);
  });
});

test("a valid journey has no problems", () => {
  expect(lint(SOUND)).toEqual([]);
});

describe("each fault is reported at its line", () => {
  test.each([
    [
      "headers that a document has no say in",
      "operationId: getItem",
      "operationId: getItem\n        parameters:\n          - { name: Host, in: header, value: a }\n          - { name: Proxy-Authorization, in: header, value: b }",
      ["14 warning host-header", "15 warning proxy-authorization-header"],
    ],
    [
      "an unknown field",
      "operationId: getItem",
      "operationID: getItem",
      ["11 error step-target", "12 error unknown-field"],
    ],
    [
      "two steps of one id",
      "stepId: read",
      "stepId: create",
      ["11 error duplicate-id", "13 error circular-dependency", "17 error unknown-step"],
    ],
    [
      "a step that calls two things",
      "operationId: getItem",
      "operationId: getItem\n        workflowId: main",
      ["11 error step-target"],
    ],
    ["a step that calls nothing", "operationId: getItem", "description: d", ["11 error step-target"]],
    ["an unknown workflow", "operationId: getItem", "workflowId: other", ["12 error unknown-workflow"]],
    [
      "an unknown source",
      "operationId: getItem",
      "operationId: $sourceDescriptions.nope.getItem",
      ["12 error unknown-source"],
    ],
    [
      "a parameter without in",
      "dependsOn: [create]",
      "parameters: [{ name: a, value: 1 }]",
      ["13 error parameter-without-location"],
    ],
    [
      "a parameter twice",
      "dependsOn: [create]",
      "parameters: [{ name: A, in: header, value: 1 }, { name: a, in: header, value: 1 }]",
      ["13 error duplicate-parameter"],
    ],
    [
      "an unknown dependency",
      "dependsOn: [create]",
      "dependsOn: [nope, $workflows.main.steps.create]",
      ["13 error unknown-step"],
    ],
    [
      "a circle of dependencies",
      "operationId: createItem",
      "operationId: createItem\n        dependsOn: [read]",
      ["10 error circular-dependency"],
    ],
    [
      "a jsonpath condition without context",
      "{ x-id: ok, condition: $statusCode == 201 }",
      "{ x-id: ok, type: jsonpath, condition: $.a }",
      ["10 error invalid-condition"],
    ],
    ["provenBy without the step", "create#ok", "nope#ok", ["18 error unknown-criterion"]],
    ["provenBy of a criterion without x-id", "x-id: ok, ", "", ["18 error unknown-criterion"]],
    ["a teardown of nothing", "step: read }", "step: nope }", ["17 error unknown-step"]],
    ["a secret that is no input", "secrets: { token", "secrets: { other", ["15 error unknown-input"]],
    [
      "a secret with its value",
      "token: { type: string }",
      "token: { type: string, default: x }",
      ["6 error secret-literal"],
    ],
    ["a wrong generator", "generate: uuid", "generate: password", ["16 error variable"]],
    [
      "an action that goes nowhere",
      "dependsOn: [create]",
      "onSuccess: [{ name: a, type: goto }]",
      ["13 error action-target"],
    ],
    [
      "an action to an unknown step",
      "dependsOn: [create]",
      "onFailure: [{ name: a, type: goto, stepId: x }]",
      ["13 error unknown-step"],
    ],
    [
      "a reference to no component",
      "dependsOn: [create]",
      "onFailure: [{ reference: $components.failureActions.x }]",
      ["13 error unknown-component"],
    ],
    [
      "a reference of the wrong kind",
      "dependsOn: [create]",
      "onFailure: [{ reference: $components.parameters.x }]",
      ["13 error wrong-component"],
    ],
    [
      "a poll that never polls",
      "dependsOn: [create]",
      "x-journey: { poll: { until: $statusCode == 200, everyMs: 50, maxMs: 5 } }",
      ["13 error poll"],
    ],
    ["a field of 1.1 in a document of 1.0", "arazzo: 1.1.0", "arazzo: 1.0.1", ["13 error needs-arazzo-1.1"]],
    [
      "operations without a source",
      "sourceDescriptions: [{ name: items, url: ./items.yaml }]",
      "sourceDescriptions: []",
      ["3 error no-source"],
    ],
    [
      "an id that expressions can't name",
      "stepId: create",
      "stepId: create it",
      ["8 warning id-characters", "13 error unknown-step", "18 error unknown-criterion"],
    ],
  ])("%s", (_, from, to, expected) => {
    expect(lint(withChange(from, to))).toEqual(expected);
  });
});

test("faults of structure and of references come together", () => {
  const text = withChange("stepId: read", "stepId: create").replace("severity: must", "severity: maybe");
  expect(lint(text)).toEqual([
    "11 error duplicate-id",
    "13 error circular-dependency",
    "17 error unknown-step",
    "18 error invalid-value",
  ]);
});

test("an unproven acceptance criterion is a gap, not a fault", () => {
  expect(lint(withChange("provenBy: [create#ok]", "provenBy: []"))).toEqual([]);
});

test("long chains of dependencies are checked in linear time", () => {
  const steps = Array.from(
    { length: 3_000 },
    (_, n) => `{stepId: s${n}, operationId: o, dependsOn: [s${n + 1}]}`,
  );
  const text = `${SOUND.split("workflows:")[0]}workflows: [{workflowId: w, steps: [${steps.join(", ")}]}]\n`;
  expect(lint(text)).toEqual(["4 error unknown-step"]);
});

test("schemas are found by their anchor in linear time", () => {
  const names = Array.from({ length: 5_000 }, (_, n) => `p${n}`);
  const properties = names.map((name) => `${name}: { $ref: "#${name}" }`).join(", ");
  const anchors = names
    .map((name) => `${name}: { $anchor: ${name}, format: password, default: x }`)
    .join(", ");
  const [start] = SOUND.split("workflows:");
  const text = `${start}components: { inputs: { ${anchors} } }
workflows:
  - { workflowId: w, inputs: { properties: { ${properties} } }, steps: [{ stepId: s, operationId: o }] }
`;
  const found = lint(text);
  expect(new Set(found)).toEqual(new Set(["6 warning secret-literal"]));
  expect(found).toHaveLength(500);
});

test.each([...ARAZZO_DOCUMENTS, WORKED_EXAMPLE.journey])("%s parses and lints without a problem", (file) => {
  expect(lint(readFileSync(file, "utf8"))).toEqual([]);
});
