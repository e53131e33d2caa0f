import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import { describe, expect, it } from "vitest";
import { completionsAt } from "./completion.ts";
import { definitionAt } from "./definition.ts";
import { namesIn } from "./names.ts";

const TEXT = `arazzo: 1.1.0
sourceDescriptions:
- name: notes
  url: ./notes.yaml
workflows:
  - workflowId: main
    inputs: { properties: { title: {} } }
    steps:
      - stepId: add
        operationId: addNote
        successCriteria:
          - x-id: added
            condition: $statusCode == 201
        outputs:
          id: $response.body#/id
      - stepId: see
        parameters:
          - { name: id, in: path, value: $steps.add.outputs.id }
    x-journey:
      acceptanceCriteria:
        - id: AC-1
          provenBy: [add#added]
`;
const { value, positions } = parseText(TEXT, { file: "" });
const names = {
  ...namesIn(value),
  operations: [{ operationId: "addNote", method: "post", path: "/notes" }],
};

function completionOf(line: string, inPlaceOf: string) {
  const text = TEXT.replace(inPlaceOf, line);
  const offset = text.indexOf(line) + line.length;
  return { text, offset, found: completionsAt(text, offset, names) };
}

/** The options that are offered at the end of a text that replaces a line. */
function offered(line: string, inPlaceOf: string): string[] {
  const { text, offset, found } = completionOf(line, inPlaceOf);
  const word = text.slice(found?.from ?? offset, offset);
  return (found?.options ?? []).map(({ label }) => label).filter((label) => label.startsWith(word));
}

describe("completion", () => {
  it.each<[string, string, string[]]>([
    ["        operationId: add", "        operationId: addNote", ["addNote"]],
    ["          id: $in", "          id: $response.body#/id", ["$inputs.title"]],
    ["          id: $steps.add.", "          id: $response.body#/id", ["$steps.add.outputs.id"]],
    ["          id: $source", "          id: $response.body#/id", ["$sourceDescriptions.notes."]],
    ["          provenBy: [add#", "          provenBy: [add#added]", ["add#added"]],
    ["          severity: m", "          provenBy: [add#added]", ["must"]],
    ["        depends", "        operationId: addNote", ["dependsOn"]],
    ["        dependsOn: [se", "        operationId: addNote", ["see"]],
    ["            cont", "            condition: $statusCode == 201", ["context"]],
    ["      tear", "      acceptanceCriteria:", ["teardown"]],
    ["  ty", "  url: ./notes.yaml", ["type"]],
    ["  type: o", "  url: ./notes.yaml", ["openapi"]],
    ["work", "workflows:", ["workflows"]],
  ])("of %j offers what the journey has there", (line, inPlaceOf, expected) => {
    expect(offered(line, inPlaceOf)).toEqual(expected);
  });

  it("offers nothing in a comment, for the name that a step gets, and in a list of texts after a dash for its items", () => {
    expect(offered("        # oper", "        operationId: addNote")).toEqual([]);
    expect(offered("      - stepId: a", "      - stepId: add")).toEqual([]);
    expect(offered("          provenBy:\n            - add", "          provenBy: [add#added]")).toEqual([
      "add#added",
    ]);
  });
});

describe("a list that is shown", () => {
  const isValidFor = (line: string, inPlaceOf: string, word: string) =>
    completionOf(line, inPlaceOf).found?.isValidFor(word);
  const id = "          id: $response.body#/id";

  it("stays for the letters that follow, until a step is named, whose outputs are another list", () => {
    for (const word of ["$", "$st", "$steps.add", "$inputs.ti"])
      expect(isValidFor("          id: $s", id, word)).toBe(true);
    for (const word of ["$steps.add.", "$steps.add.outputs", "$steps.add id", "add"])
      expect(isValidFor("          id: $s", id, word)).toBe(false);
    expect(isValidFor("          id: $steps.add.", id, "$steps.add.outputs.i")).toBe(true);
    for (const word of ["$steps.add", "$steps.see.", "$st"])
      expect(isValidFor("          id: $steps.add.", id, word)).toBe(false);
  });

  it("of names or keys doesn't stay for an expression", () => {
    const operationId = "        operationId: addNote";
    expect(isValidFor("        operationId: a", operationId, "addN")).toBe(true);
    expect(isValidFor("        operationId: a", operationId, "$")).toBe(false);
    expect(isValidFor("        depends", operationId, "dependsO")).toBe(true);
    expect(isValidFor("        depends", operationId, "dependsOn:")).toBe(false);
  });
});

describe("the definition", () => {
  const lineOf = (word: string) => {
    const pointer = definitionAt(TEXT, TEXT.lastIndexOf(word) + 1, names);
    return pointer === undefined
      ? undefined
      : TEXT.split("\n")[sourceOf(positions, pointer).line - 1]?.trim();
  };

  it("of a reference is where its name is declared", () => {
    expect(lineOf("$steps.add.outputs.id")).toBe("id: $response.body#/id");
    expect(lineOf("add#added")).toBe("- x-id: added");
    const other = TEXT.replace("$response.body#/id", "$inputs.title");
    expect(definitionAt(other, other.indexOf("$inputs") + 9, names)).toBe(
      "/workflows/0/inputs/properties/title",
    );
    expect(lineOf("addNote")).toBeUndefined();
  });
});
