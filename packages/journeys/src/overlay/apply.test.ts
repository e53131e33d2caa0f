import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { parseDocument } from "../document/parse.ts";
import { applyOverlays } from "./apply.ts";
import { parseOverlay } from "./parse-overlay.ts";
import type { AppliedOverlays } from "./provenance.ts";

const BASE = `arazzo: 1.1.0
info: { title: Base, version: 3.1.0 }
sourceDescriptions:
  - { name: items, url: ./items.yaml }
workflows:
  - workflowId: main
    inputs: { type: object, properties: { price: { type: number, default: 12 } } }
    steps:
      - stepId: create
        operationId: createItem
        outputs: { id: $response.body#/id }
      - stepId: remove
        operationId: deleteItem
`;

const MAIN = "$.workflows[?@.workflowId=='main']";

function overlayText(
  actions: string,
  { id = "variant", range = "^3.0.0", base = "./base.journey.yaml" } = {},
): string {
  return `overlay: 1.1.0
info: { title: A variant, version: 1.0.0, x-overlay: { id: ${id}, extendsVersion: ${range} } }
extends: ${base}
actions:
${actions}`;
}

function applied(...overlays: string[]): AppliedOverlays {
  const base = parseDocument(BASE, { file: "base.journey.yaml" });
  expect(base.problems).toEqual([]);
  return applyOverlays(
    base,
    overlays.map((text, index) => parseOverlay(text, { file: `${index}.overlay.yaml` })),
  );
}

function codes(result: AppliedOverlays): string[] {
  return result.problems.map((problem) => `${problem.file}:${problem.line} ${problem.code}`);
}

describe("provenance", () => {
  const result = applied(
    overlayText(`  - target: ${MAIN}.inputs.properties.price
    update: { default: 99, minimum: 1 }
  - target: ${MAIN}.steps
    x-insert: { before: remove }
    update:
      - { stepId: read, operationId: getItem }
  - target: $.info.title
    update: Variant
`),
  );

  test("tells inherited, changed and added fields apart, with the file and line of each", () => {
    expect(result.problems).toEqual([]);
    const price = "/workflows/0/inputs/properties/price";
    expect(result.provenance.get(`${price}/type`)).toEqual({
      from: "base",
      change: "inherited",
      source: { file: "base.journey.yaml", line: 7, column: 52 },
    });
    expect(result.provenance.get(`${price}/default`)).toMatchObject({
      from: "variant",
      change: "changed",
      source: { file: "0.overlay.yaml", line: 6 },
    });
    expect(result.provenance.get(`${price}/minimum`)).toMatchObject({ from: "variant", change: "added" });
  });

  test("follows a field whose place an insertion has moved", () => {
    expect(result.model?.workflows[0]?.steps.map((step) => step.stepId)).toEqual([
      "create",
      "read",
      "remove",
    ]);
    expect(result.provenance.get("/workflows/0/steps/2/stepId")).toMatchObject({
      from: "base",
      change: "inherited",
      source: { file: "base.journey.yaml", line: 12 },
    });
    expect(result.sourceOf("/workflows/0/steps/1/operationId")).toMatchObject({
      file: "0.overlay.yaml",
      line: 10,
    });
  });

  test("has an entry for every pointer of the result, and lists what each overlay wrote", () => {
    const pointers: string[] = [];
    const visit = (value: unknown, pointer: string): void => {
      pointers.push(pointer);
      if (typeof value === "object" && value !== null) {
        for (const [key, member] of Object.entries(value)) visit(member, `${pointer}/${key}`);
      }
    };
    visit(result.raw, "");
    expect([...result.provenance.keys()].toSorted()).toEqual(pointers.toSorted());
    expect(result.touched["variant"]).toContain("/info/title");
    expect(result.touched["variant"]).toContain("/workflows/0/steps/1");
  });
});

describe("stacked overlays", () => {
  test("are applied in order; the last writer of a field is its origin", () => {
    const first = overlayText(`  - target: $.info.title
    update: One
`);
    const second = overlayText(
      `  - target: $.info.title
    update: Two
`,
      { id: "second", base: "./0.overlay.yaml", range: "^1.0.0" },
    );
    const result = applied(first, second);
    expect(result.problems).toEqual([]);
    expect(result.model?.info.title).toBe("Two");
    expect(result.provenance.get("/info/title")).toMatchObject({ from: "second", change: "changed" });
    expect(result.overlays).toEqual(["variant", "second"]);
  });

  test("with one id twice, or over a base they don't extend, are refused", () => {
    const text = overlayText("  - { target: $.info.title, update: X }\n", { base: "./other.yaml" });
    expect(codes(applied(text, text))).toEqual([
      "0.overlay.yaml:3 overlay-base",
      "1.overlay.yaml:2 overlay-id",
      "1.overlay.yaml:3 overlay-base",
    ]);
  });
});

describe("the strict profile", () => {
  test.each([
    ["a target that matches nothing", `  - { target: "$.nothing", update: 1 }\n`, "overlay-no-match"],
    ["a position", `  - { target: "$.workflows[0].steps", update: [] }\n`, "overlay-index"],
    ["a slice", `  - { target: "$.workflows[0:1]", remove: true }\n`, "overlay-index"],
    [
      "a position in a filter",
      `  - { target: "$.workflows[?@.steps[0].stepId=='a']", remove: true }\n`,
      "overlay-index",
    ],
    ["several selectors", `  - { target: "$['info','workflows']", remove: true }\n`, "overlay-target"],
    [
      "the document inside a filter",
      `  - { target: "$.workflows[?@.a==$.b]", remove: true }\n`,
      "overlay-target",
    ],
    [
      "a regular expression",
      `  - { target: "$.workflows[?search(@.a, '(a+)+$')]", remove: true }\n`,
      "overlay-target",
    ],
    ["no JSONPath", `  - { target: "$.workflows[", remove: true }\n`, "overlay-target"],
    ["two things at once", `  - { target: $.info, update: {a: 1}, remove: true }\n`, "overlay-action"],
    ["nothing to do", `  - { target: $.info }\n`, "overlay-action"],
    ["a list for an object", `  - { target: $.info, update: [1] }\n`, "overlay-mismatch"],
    [
      "values of different kinds",
      `  - { target: "$.info.*", update: 1 }\n  - { target: "$.*", update: {} }\n`,
      "overlay-mixed",
    ],
    [
      "an unknown place",
      `  - { target: "${MAIN}.steps", x-insert: {after: nope}, update: [] }\n`,
      "overlay-mismatch",
    ],
    ["an unknown field", `  - { target: $.info, updte: {} , remove: true}\n`, "unknown-field"],
  ])("refuses %s", (_, actions, code) => {
    const problems = applied(overlayText(actions)).problems;
    expect(problems.map((problem) => problem.code)).toContain(code);
    expect(problems.every((problem) => problem.file === "0.overlay.yaml" && problem.line >= 5)).toBe(true);
  });

  test("reports all faults of all actions at once", () => {
    const result = applied(overlayText(`  - { target: $.a, update: 1 }\n  - { target: $.b, update: 1 }\n`));
    expect(codes(result)).toEqual(["0.overlay.yaml:5 overlay-no-match", "0.overlay.yaml:6 overlay-no-match"]);
    expect(result.model).toBeUndefined();
  });

  test("a result that is no journey any more is reported where the overlay wrote it", () => {
    const result = applied(
      overlayText(
        `  - { target: $.info, update: {titel: x} }\n  - { target: $.info.version, remove: true }\n`,
      ),
    );
    expect(codes(result)).toEqual(["0.overlay.yaml:5 unknown-field", "base.journey.yaml:2 missing-field"]);
    expect(result.removed).toEqual([
      { pointer: "/info/version", by: "variant", source: { file: "0.overlay.yaml", line: 6, column: 31 } },
    ]);
  });
});

describe("an overlay without x-overlay, as other tools write them,", () => {
  const standard = (actions: string, head = "") =>
    applied(`overlay: 1.0.0\ninfo: { title: Theirs, version: 1.0.0 }\n${head}actions:\n${actions}`);
  const stepIds = (result: AppliedOverlays) => result.model?.workflows[0]?.steps.map(({ stepId }) => stepId);

  test.each([
    ["a position", `  - { target: "$.workflows[0].steps[1]", remove: true }\n`, ["create"]],
    ["a position from the end", `  - { target: "$.workflows[-1].steps[-2]", remove: true }\n`, ["remove"]],
    ["a slice", `  - { target: "$.workflows[0].steps[:1]", remove: true }\n`, ["remove"]],
    [
      "several selectors",
      `  - { target: "$.workflows[0].steps[1,1]", update: { stepId: second } }\n`,
      ["create", "second"],
    ],
    [
      "several descents",
      `  - { target: "$..steps..[?@.stepId=='remove']", update: { stepId: second } }\n`,
      ["create", "second"],
    ],
    [
      "a descent in a filter",
      `  - { target: "$.workflows[?@..[?@.operationId=='createItem']].steps[0]", update: { stepId: first } }\n`,
      ["first", "remove"],
    ],
    [
      "remove: false beside an update",
      `  - { target: $.info, update: { title: X }, remove: false }\n`,
      undefined,
    ],
  ])("selects by %s", (_, actions, ids) => {
    const result = standard(actions);
    expect(result.problems).toEqual([]);
    expect(stepIds(result)).toEqual(ids ?? ["create", "remove"]);
  });

  test.each([
    ["matches nothing", `  - { target: "$.nothing[3]", update: { a: 1 } }\n`, "overlay-no-match"],
    ["does nothing", `  - { target: $.info }\n`, "overlay-action"],
  ])("is applied with a warning if an action %s", (_, actions, code) => {
    const result = standard(`${actions}  - { target: $.info.title, update: Changed }\n`);
    expect(result.problems).toMatchObject([{ severity: "warning", code, line: 4 }]);
    expect(result.model?.info.title).toBe("Changed");
  });

  test("removes what an action removes and updates", () => {
    const result = standard(
      `  - { target: "$.workflows[0].steps[0]", update: { stepId: x }, remove: true }\n`,
    );
    expect(result.problems).toMatchObject([{ severity: "warning", code: "overlay-action" }]);
    expect(stepIds(result)).toEqual(["remove"]);
  });

  test("is refused if an action updates and copies, because then neither has an effect", () => {
    const result = standard(`  - { target: $.info, update: { title: X }, copy: $.info }\n`);
    expect(result.problems).toMatchObject([{ severity: "error", code: "overlay-action" }]);
  });

  test("removes a value and what is in it in one action", () => {
    const result = standard(`  - { target: "$..*[?@.stepId || @.id]", remove: true }\n`);
    expect(result.removed.map(({ pointer }) => pointer)).toEqual([
      "/workflows/0/steps/0",
      "/workflows/0/steps/0/outputs",
      "/workflows/0/steps/1",
    ]);
  });

  test("applies to another document than the one that it names, with a warning", () => {
    const result = standard(
      "  - { target: $.info.title, update: X }\n",
      "extends: https://x.example/a.yaml\n",
    );
    expect(result.problems).toMatchObject([{ severity: "warning", code: "overlay-base", line: 3 }]);
    expect(result.overlays).toEqual(["0.overlay.yaml"]);
    expect(result.provenance.get("/info/title")).toMatchObject({ from: "0.overlay.yaml", change: "changed" });
  });

  test.each([
    [
      "the document in a filter",
      `  - { target: "$.workflows[?@.a==$.b]", remove: true }\n`,
      "overlay-target",
    ],
    ["a pattern", `  - { target: "$.workflows[?search(@.a, '(a+)+$')]", remove: true }\n`, "overlay-target"],
    ["a list for an object", `  - { target: $.info, update: [1] }\n`, "overlay-mismatch"],
    ["values of different kinds", `  - { target: "$.info['title','x'],$.a", update: 1 }\n`, "overlay-target"],
    ["the whole document", `  - { target: $, remove: true }\n`, "overlay-target"],
    [
      "a copy of several values",
      `  - { target: $.info, copy: "$.workflows[0].steps[*]" }\n`,
      "overlay-no-match",
    ],
    [
      "a target that costs too much",
      `  - { target: $.info, update: { x-deep: ${'{"a":'.repeat(40)}1${"}".repeat(40)} } }\n` +
        `  - { target: "$..*[?${"@..*[?".repeat(8)}@.x${"]".repeat(9)}", remove: true }\n`,
      "overlay-too-large",
    ],
  ])("is refused for %s", (_, actions, code) => {
    expect(standard(actions).problems.filter(({ severity }) => severity === "error")).toMatchObject([
      { code },
    ]);
  });
});

describe("removal and copy", () => {
  test("removing several items takes exactly those", () => {
    const result = applied(
      overlayText(`  - { target: "${MAIN}.steps", update: [{stepId: x1, operationId: a}, {stepId: x2, operationId: a}] }
  - { target: "${MAIN}.steps[?@.operationId=='a']", remove: true }
`),
    );
    expect(result.model?.workflows[0]?.steps.map((step) => step.stepId)).toEqual(["create", "remove"]);
    expect(result.removed.map((removed) => removed.pointer)).toEqual([
      "/workflows/0/steps/2",
      "/workflows/0/steps/3",
    ]);
  });

  test("a copy is a value of its own", () => {
    const result = applied(
      overlayText(`  - { target: "${MAIN}.steps[?@.stepId=='remove']", update: { outputs: {} } }
  - target: "${MAIN}.steps[?@.stepId=='remove'].outputs"
    copy: "${MAIN}.steps[?@.stepId=='create'].outputs"
  - { target: "${MAIN}.steps[?@.stepId=='remove'].outputs.id", update: changed }
`),
    );
    expect(result.problems).toEqual([]);
    expect(result.model?.workflows[0]?.steps.map((step) => step.outputs)).toEqual([
      { id: "$response.body#/id" },
      { id: "changed" },
    ]);
  });

  test("an overlay that doubles the document again and again is stopped", () => {
    const start = "  - { target: $.info, update: { x-a: {} } }\n";
    const result = applied(
      overlayText(
        start +
          "  - { target: $.info.x-a, update: { x-b: 1 } }\n" +
          Array.from(
            { length: 40 },
            (_, n) =>
              `  - { target: $.info, update: { x-c${n}: {} } }\n  - { target: $.info.x-c${n}, copy: $ }\n`,
          ).join(""),
      ),
    );
    expect(result.problems.map((problem) => problem.code)).toContain("overlay-too-large");
  });
});

describe("a base that has moved", () => {
  test.each([
    ["^3.0.0", false],
    ["~3.1", false],
    [">=2 <3", true],
    ["^4.0.0", true],
  ])("against %s: moved %s", (range, moved) => {
    const result = applied(overlayText("  - { target: $.info.title, update: X }\n", { range: `"${range}"` }));
    expect(result.drift).toEqual([
      { overlay: "variant", extendsVersion: range, baseVersion: "3.1.0", moved },
    ]);
    expect(codes(result)).toEqual(moved ? ["0.overlay.yaml:2 overlay-base-moved"] : []);
    expect(result.model).toBeDefined();
  });
});

test("the worked example with its overlay has full provenance", () => {
  const [file, name] = ["notes.journey.yaml", "notes.gone.overlay.yaml"];
  const base = parseDocument(readFileSync(WORKED_EXAMPLE.journey, "utf8"), { file });
  const overlay = parseOverlay(readFileSync(WORKED_EXAMPLE.overlay, "utf8"), { file: name });
  const result = applyOverlays(base, [overlay]);
  expect(result.problems).toEqual([]);
  const pointers = (wanted: string) =>
    [...result.provenance].filter(([, { change }]) => change === wanted).map(([pointer]) => pointer);
  expect(pointers("changed")).toEqual(["/workflows/0/inputs/properties/stars/default"]);
  const added = pointers("added");
  expect(added[0]).toBe("/workflows/0/steps/5");
  expect(added.at(-1)).toBe("/workflows/0/x-journey/acceptanceCriteria/2/provenBy/0");
  for (const { from, change, source } of result.provenance.values()) {
    expect(source.file).toBe(from === "base" ? file : name);
    expect(change === "inherited").toBe(from === "base");
  }
  expect(result.drift).toMatchObject([{ overlay: "notes/gone", moved: false }]);
});
