import { describe, expect, test } from "vitest";
import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { lintDocument } from "@waymark/journeys/lint/lint-document.ts";

const SOURCE: LoadedSource = {
  type: "openapi",
  url: "https://api.example/x",
  document: {
    openapi: "3.1.0",
    paths: { "/a": { get: { operationId: "a", responses: {} }, post: { operationId: "b", responses: {} } } },
  },
};

const SOUND = `arazzo: 1.1.0
info: { title: T, version: 1.0.0 }
sourceDescriptions: [{ name: api, url: x, type: openapi }]
components:
  successActions: { stop: { name: stop, type: end } }
workflows:
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    steps:
      - stepId: one
        operationId: a
        successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]
        onSuccess: [{ name: go, type: goto, stepId: two }]
      - stepId: two
        operationId: b
        dependsOn: [one]
        onSuccess: [{ reference: $components.successActions.stop }]
      - stepId: three
        workflowId: sub
    x-journey:
      secrets: { token: { ref: env:TOKEN } }
      teardown: [{ step: two }]
      acceptanceCriteria: [{ id: A, text: t, severity: must, provenBy: [one#ok] }]
  - workflowId: sub
    steps: [{ stepId: only, operationId: a }]
`;

const FAULTS: [name: string, from: string, to: string][] = [
  ["a step that calls nothing", "operationId: b\n", "description: b\n"],
  [
    "a step that calls two things",
    "workflowId: sub\n    x-",
    "workflowId: sub\n        operationId: a\n    x-",
  ],
  ["two workflows of one id", "workflowId: sub\n    steps", "workflowId: main\n    steps"],
  ["two steps of one id", "stepId: three", "stepId: one"],
  ["a workflow that is not there", "workflowId: sub\n    x-", "workflowId: gone\n    x-"],
  ["a workflow of no source", "workflowId: sub\n    x-", "workflowId: $sourceDescriptions.gone.main\n    x-"],
  ["a workflow that is no name", "workflowId: sub\n    x-", "workflowId: $steps.one.outputs.x\n    x-"],
  ["an operation of no source", "operationId: b\n", "operationId: $sourceDescriptions.gone.b\n"],
  ["a dependency on no step", "dependsOn: [one]", "dependsOn: [gone]"],
  ["a goto to no step", "stepId: two }]", "stepId: gone }]"],
  ["a goto without a target", "type: goto, stepId: two }]", "type: goto }]"],
  ["a goto to two targets", "stepId: two }]", "stepId: two, workflowId: sub }]"],
  ["two actions of one name", "stepId: two }]", "stepId: two }, { name: go, type: end }]"],
  ["no component", "successActions.stop }", "successActions.gone }"],
  ["a component of another kind", "$components.successActions.stop }", "$components.parameters.stop }"],
  ["no reference to a component", "$components.successActions.stop }", "components/stop }"],
  ["a parameter without a place", "dependsOn: [one]", "parameters: [{ name: q, value: 1 }]"],
  [
    "a parameter twice",
    "dependsOn: [one]",
    "parameters: [{ name: q, in: query, value: 1 }, { name: q, in: query, value: 2 }]",
  ],
  ["a criterion without its context", "condition: $statusCode == 200", "type: jsonpath, condition: $.a"],
  ["two criteria of one id", "== 200 }]", "== 200 }, { x-id: ok, condition: $statusCode == 201 }]"],
  ["a secret that is no input", "secrets: { token", "secrets: { other"],
  ["a secret with its value", "token: { type: string }", "token: { type: string, default: abc }"],
  ["a teardown of no step", "step: two }", "step: gone }"],
  ["a proof by no step", "one#ok", "gone#ok"],
  ["a proof by no criterion", "one#ok", "one#gone"],
];

async function problemsOf(text: string): Promise<{ lint: Problem[]; compiled: Problem[] }> {
  const document = parseDocument(text, { file: "t.yaml" });
  const { model, sourceOf } = document;
  if (model === undefined) throw new Error(JSON.stringify(document.problems));
  const compiled = await compileJourney({ document: { model, sourceOf }, sources: { api: SOURCE } });
  return { lint: lintDocument(document), compiled: compiled.problems };
}

const errors = (problems: readonly Problem[]) =>
  problems.flatMap(({ severity, line, column, code }) =>
    severity === "error" ? [`${line}:${column} ${code}`] : [],
  );

describe("lint and the compiler say the same of a fault, at the same place", () => {
  test("and nothing of a sound document", async () => {
    const { lint, compiled } = await problemsOf(SOUND);
    expect([...lint, ...compiled]).toEqual([]);
  });

  test.each(FAULTS)("%s", async (_name, from, to) => {
    expect(SOUND).toContain(from);
    const { lint, compiled } = await problemsOf(SOUND.replace(from, () => to));
    expect(errors(compiled)).not.toEqual([]);
    expect(new Set(errors(lint))).toEqual(new Set([...errors(lint), ...errors(compiled)]));
  });
});
