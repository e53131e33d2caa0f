import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { EditCommand } from "./command.ts";
import { editOpened } from "./edit-document.ts";
import { openForEdits } from "./opened-text.ts";

const TEXT = `# what it is for
arazzo: 1.1.0
info: {title: Orders, version: 1.0.0}   # flow, no inner spaces
sourceDescriptions:
  - {name: orders, url: ./orders.yaml}
workflows:
  - workflowId: main
    steps:
      # first of all
      - stepId: create
        operationId: 'createOrder'   # odd quotes
        outputs: { id: $response.body#/id }

      # then look
      - stepId: read
        operationId: getOrder
        parameters:
        - name: id
          in: path
          value: "$steps.create.outputs.id"
        successCriteria:
          - x-id: found
            condition: $statusCode == 200

      - stepId: remove
        operationId: deleteOrder
        dependsOn: [create, read]
        requestBody:
          payload: |
            {"id": "{$steps.create.outputs.id}"}
    outputs:
      id: $steps.create.outputs.id
    x-journey:
      teardown: [{ step: remove, when: $steps.create.outputs.id != null }]
      acceptanceCriteria:
        - { id: AC-1, text: An order can be read, severity: must, provenBy: [read#found] }
`;

function edited(command: EditCommand, text = TEXT): string {
  const result = editOpened(openForEdits(text, { file: "orders.journey.yaml" }), command);
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join("\n"));
  return result.text;
}

function refusal(command: EditCommand, text = TEXT): string {
  const result = editOpened(openForEdits(text, { file: "orders.journey.yaml" }), command);
  expect(result.ok).toBe(false);
  return result.ok ? "" : (result.problems[0]?.message ?? "");
}

/** Lines of the result that the text doesn't have, and lines of the text that are gone. */
function changes(before: string, after: string): { added: string[]; gone: string[] } {
  const old = before.split("\n");
  const now = after.split("\n");
  return {
    added: now.filter((line) => !old.includes(line)),
    gone: old.filter((line) => !now.includes(line)),
  };
}

describe("setScalar", () => {
  test("keeps quotes, comments and the spacing of a flow object", () => {
    expect(changes(TEXT, edited({ op: "setScalar", pointer: "/info/title", value: "Orders, all" }))).toEqual({
      added: ['info: {title: "Orders, all", version: 1.0.0}   # flow, no inner spaces'],
      gone: ["info: {title: Orders, version: 1.0.0}   # flow, no inner spaces"],
    });
    const operation = "/workflows/0/steps/0/operationId";
    expect(edited({ op: "setScalar", pointer: operation, value: "it's" })).toContain(
      "operationId: 'it''s'   # odd quotes",
    );
  });

  test("adds a member behind the last one of its object", () => {
    const text = edited({ op: "setScalar", pointer: "/workflows/0/steps/0/timeout", value: 500 });
    expect(text).toContain(
      "        outputs: { id: $response.body#/id }\n        timeout: 500\n\n      # then look",
    );
  });

  test("writes a text of several lines as a block where it can, in quotes where a comment follows", () => {
    const block = edited({ op: "setScalar", pointer: "/workflows/0/steps/1/operationId", value: "a\nb\n" });
    expect(block).toContain("        operationId: |\n          a\n          b\n        parameters:");
    const quoted = edited({ op: "setScalar", pointer: "/workflows/0/steps/0/operationId", value: "a\nb" });
    expect(quoted).toContain(String.raw`operationId: "a\nb"   # odd quotes`);
  });

  test.each([
    ["/info", "There is a list or an object here; only a scalar can be set."],
    ["/nowhere/title", "What would hold this field isn't there."],
    ["/info/__proto__", "The key __proto__ isn't accepted."],
    ["", "The pointer must name a field, as in /info/title."],
  ])("refuses %j", (pointer, message) => {
    expect(refusal({ op: "setScalar", pointer, value: "x" })).toBe(message);
  });

  test("refuses a field whose text is used through an alias, and one whose change would reach an alias", () => {
    const text = "info: &i {title: a}\nother: *i\nlist: [&s x, *s]\n";
    expect(refusal({ op: "setScalar", pointer: "/other/title", value: "b" }, text)).toContain("alias");
    expect(refusal({ op: "setScalar", pointer: "/list/0", value: "b" }, text)).toContain("can't be fitted");
    expect(edited({ op: "setScalar", pointer: "/list/1", value: "b" }, text)).toContain("[&s x, b]");
  });
});

describe("steps", () => {
  test("an inserted step follows the indentation and the blank lines of its neighbours", () => {
    const step = {
      stepId: "list",
      operationId: "listOrders",
      parameters: [{ name: "limit", in: "query", value: 5 }],
    };
    const text = edited({ op: "insertStep", after: "create", step });
    expect(text).toContain(
      "outputs: { id: $response.body#/id }\n\n      - stepId: list\n        operationId: listOrders\n" +
        "        parameters:\n        - name: limit\n          in: query\n          value: 5\n\n      # then look\n",
    );
    expect(changes(TEXT, text).gone).toEqual([]);
  });

  test("a moved step takes its comments with it", () => {
    const text = edited({ op: "moveStep", stepId: "read", before: "create" });
    expect(text).toMatch(
      /steps:\n {6}# then look\n {6}- stepId: read\n[^]*\n\n {6}# first of all\n {6}- stepId: create/,
    );
    expect(text.split("\n").toSorted()).toEqual(TEXT.split("\n").toSorted());
  });

  test("a removed step leaves no comment of its own and no double blank line", () => {
    const text = edited({ op: "removeStep", stepId: "read" });
    expect(text).not.toContain("then look");
    expect(text).toContain("outputs: { id: $response.body#/id }\n\n      - stepId: remove");
  });

  test("renaming reaches expressions, dependsOn, teardown and provenBy, and nothing else", () => {
    const text = edited({ op: "renameStep", stepId: "create", to: "make" });
    expect(changes(TEXT, text).added).toEqual([
      "      - stepId: make",
      '          value: "$steps.make.outputs.id"',
      "        dependsOn: [make, read]",
      '            {"id": "{$steps.make.outputs.id}"}',
      "      id: $steps.make.outputs.id",
      "      teardown: [{ step: remove, when: $steps.make.outputs.id != null }]",
    ]);
    expect(edited({ op: "renameStep", stepId: "read", to: "look" })).toContain("provenBy: [look#found] }");
  });

  test("renaming an assertion reaches the proofs of its workflow, and nothing else", () => {
    const text = edited({ op: "renameAssertion", stepId: "read", id: "found", to: "there" });
    expect(changes(TEXT, text).added).toHaveLength(2);
    expect(text).toContain("x-id: there");
    expect(text).toContain("provenBy: [read#there] }");
  });

  test("a name that merely begins alike stays", () => {
    const text = TEXT.replace('value: "$steps.create.outputs.id"', "value: $steps.create-more.outputs.id");
    expect(edited({ op: "renameStep", stepId: "create", to: "make" }, text)).toContain(
      "$steps.create-more.outputs.id",
    );
  });

  test.each<[EditCommand, string]>([
    [{ op: "removeStep", stepId: "nope" }, "There is no step nope in this workflow."],
    [
      { op: "removeStep", workflowId: "w", stepId: "read" },
      "There is no workflow w; name one with workflowId.",
    ],
    [{ op: "renameStep", stepId: "read", to: "create" }, "There is already a step create in this workflow."],
    [{ op: "renameAssertion", stepId: "read", id: "nope", to: "x" }, "Step read has no assertion nope."],
    [
      { op: "renameAssertion", stepId: "read", id: "found", to: "a b" },
      "The id of an assertion that proves a criterion has no # and no spaces.",
    ],
    [
      { op: "renameAssertion", stepId: "read", id: "found", to: "found" },
      "Step read has an assertion found already.",
    ],
    [{ op: "insertStep", step: { stepId: "read" } }, "There is already a step read in this workflow."],
    [{ op: "insertStep", step: {} }, "The new step needs a stepId."],
    [
      { op: "moveStep", stepId: "read", before: "create", after: "remove" },
      "Say either before or after, not both.",
    ],
  ])("refuses %j", (command, message) => {
    expect(refusal(command)).toBe(message);
  });

  test("the only step of a workflow can't be removed", () => {
    const text = "workflows: [{workflowId: w, steps: [{stepId: a}]}]\n";
    expect(refusal({ op: "removeStep", stepId: "a" }, text)).toContain("only step");
  });

  test("JSON stays JSON, and only the lines around the step change", () => {
    const document = {
      workflows: [{ workflowId: "w", steps: [{ stepId: "a", operationId: "x" }, { stepId: "b" }] }],
    };
    const text = JSON.stringify(document, null, 2);
    const step = { stepId: "c", timeout: 5 };
    const inserted = edited({ op: "insertStep", after: "b", step }, text);
    document.workflows[0]?.steps.push(step);
    expect(inserted).toBe(JSON.stringify(document, null, 2));
    document.workflows[0]?.steps.shift();
    expect(edited({ op: "removeStep", stepId: "a" }, inserted)).toBe(JSON.stringify(document, null, 2));
  });
});

test("the commands have a JSON Schema, so that an interface can describe them", () => {
  const schema = z.toJSONSchema(EditCommand);
  expect(schema.oneOf).toHaveLength(13);
});

test("a text with a syntax fault isn't edited; the fault is reported", () => {
  expect(refusal({ op: "removeStep", stepId: "a" }, "a: [1\nb: 2\n")).toMatch(/\[|flow/i);
});

test("the worked example keeps every comment and every line through edits and their reversal", () => {
  let text = readFileSync(WORKED_EXAMPLE.journey, "utf8").replaceAll(
    /^( +)- stepId: /gm,
    "$1# About it.\n$&",
  );
  const before = text;
  const names = ["add", "see", "rate", "find", "drop"];
  for (const name of names) text = edited({ op: "renameStep", stepId: name, to: `${name}-it` }, text);
  for (const name of names) text = edited({ op: "renameStep", stepId: `${name}-it`, to: name }, text);
  text = edited({ op: "moveStep", stepId: "find", before: "rate" }, text);
  text = edited({ op: "moveStep", stepId: "find", after: "rate" }, text);
  expect(text).toBe(before);
});
