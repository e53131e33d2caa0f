import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { isObject } from "@waymark/openapi/json.ts";
import { describe, expect, it } from "vitest";
import { outlineOf } from "./outline.ts";

const TEXT = `
workflows:
  - workflowId: main
    inputs: { properties: { title: { type: string } } }
    steps:
      - stepId: add
        operationId: addNote
        requestBody: { payload: { title: $inputs.title } }
        successCriteria:
          - { x-id: added, condition: $statusCode == 201 }
        outputs: { id: $response.body#/id, spare: $response.body#/spare }
      - stepId: see
        x-operation: { url: "https://a.example/{id}", method: get }
        dependsOn: [add]
        parameters: [{ name: id, in: path, value: $steps.add.outputs.id }, { reference: $components.parameters.page }]
        successCriteria:
          - { context: $response.body, type: { type: jsonpath, version: rfc9535 }, condition: $.a }
        onFailure:
          - { name: busy, type: retry, retryAfter: 0.5, retryLimit: 2, criteria: [{ condition: $statusCode == 503 }] }
          - { name: gone, type: goto, stepId: add }
        x-journey: { poll: { until: $statusCode == 200, everyMs: 10, maxMs: 100 } }
    outputs: { noteId: $steps.add.id }
    x-journey:
      teardown: [{ step: see, when: $steps.add.outputs.id != null }]
      acceptanceCriteria:
        - { id: AC-1, text: It is kept, severity: must, provenBy: [add#added] }
`;

const outline = (text: string) => {
  const { value } = parseText(text, { file: "a.yaml" });
  return isObject(value) ? outlineOf(value) : [];
};

describe("the outline of a journey", () => {
  const [main] = outline(TEXT);

  it("says what each step calls, what it reads and from where", () => {
    expect(main?.steps.map(({ operation }) => operation.label)).toEqual([
      "addNote",
      "GET https://a.example/{id}",
    ]);
    expect(main?.steps[0]?.body?.origins).toEqual(["input title"]);
    expect(main?.steps[1]?.parameters).toMatchObject([
      { pointer: "/workflows/0/steps/1/parameters/0", name: "id", in: "path", origins: ["id of step add"] },
      { reference: "$components.parameters.page" },
    ]);
  });

  it("links outputs with their users, and assertions with the criteria that they prove", () => {
    expect(main?.steps[0]?.outputs).toMatchObject([
      { name: "id", users: ["see", "the journey"] },
      { name: "spare", users: [] },
    ]);
    expect(main?.steps[0]?.assertions).toMatchObject([{ id: "added", type: "simple", proves: ["AC-1"] }]);
    expect(main?.steps[1]?.assertions).toMatchObject([{ type: "jsonpath", proves: [] }]);
    expect(main?.proofs).toEqual(["add#added"]);
  });

  it("says in words how a step is repeated, and where the journey goes on", () => {
    expect(main?.steps[1]?.flow).toEqual([
      "On failure: retry up to 2× after 0.5 s, if $statusCode == 503",
      "On failure: go to add",
      "Polls every 10 ms, for up to 100 ms, until $statusCode == 200",
      "After: add",
    ]);
    expect(main?.teardown).toMatchObject([{ step: "see", when: "$steps.add.outputs.id != null" }]);
    expect(main?.steps[1]?.flowRows).toMatchObject({
      actions: [
        { list: "onFailure", name: "busy", type: "retry", condition: "$statusCode == 503", count: 2 },
        { list: "onFailure", name: "gone", type: "goto", stepId: "add", condition: "" },
      ],
      poll: { until: "$statusCode == 200", failWhen: "" },
    });
  });

  it("leaves out what has another type than it should, and never throws", () => {
    expect(outline("workflows: 5")).toEqual([]);
    expect(
      outline("workflows: [{ steps: [1, { outputs: [], parameters: {} }], x-journey: no }]"),
    ).toMatchObject([{ steps: [{ stepId: "", outputs: [], parameters: [] }], acceptance: [] }]);
  });
});
