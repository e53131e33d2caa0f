import { describe, expect, test } from "vitest";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { valueAt } from "@waymark/openapi/pointer.ts";
import type { EditCommand } from "../edit/command.ts";
import { editAll } from "../edit/edit-all.ts";
import { editVariant } from "./edit-variant.ts";
import { wrapAsOverlay } from "./wrap-as-overlay.ts";

const BASE = `arazzo: 1.1.0
info: { title: Orders, version: 1.0.0 }
sourceDescriptions:
  - { name: orders, url: ./orders.yaml }
workflows:
  - workflowId: main
    steps:
      - stepId: create
        operationId: createOrder
        timeout: 500
        successCriteria:
          - { x-id: made, condition: $statusCode == 201 }
          - { condition: $response.body#/id != null }
        outputs: { id: $response.body#/id }
      - stepId: read
        operationId: getOrder
        parameters:
          - { name: id, in: path, value: $steps.create.outputs.id }
          - { name: id, in: query, value: 1 }
        onFailure:
          - { name: again, type: retry, retryAfter: 1, retryLimit: 2 }
    x-journey:
      acceptanceCriteria:
        - { id: AC-1, text: An order is made, severity: must, provenBy: [create#made] }
      teardown:
        - step: read
`;

const OVERLAY = `overlay: 1.1.0
info:
  title: Orders of guests   # who they are
  version: 1.0.0
  x-overlay: { id: guests, extendsVersion: ^1.0.0 }
extends: ./base.journey.yaml
actions:
  # slower for guests
  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='create']
    update: { timeout: 900 }   # ms
  - target: $.workflows[?@.workflowId=='main'].steps
    x-insert: { after: create }
    update:
      - stepId: pay
        operationId: payOrder
`;

const base = parseDocument(BASE, { file: "base.journey.yaml" });
const file = "guests.overlay.yaml";

function edited(commands: EditCommand[], text = OVERLAY) {
  const result = editVariant({ base, below: [] }, text, commands, { file });
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join("\n"));
  // The library must compose the same result from the text as the edit returned.
  const applied = applyOverlays(base, [parseOverlay(result.text, { file })]);
  expect(applied.raw).toEqual(result.composed);
  expect(editAll(result.text, result.inverse, { file })).toMatchObject({ ok: true, text });
  return result;
}

/** The lines that the edits added to the overlay and those that they took away. */
function changes(commands: EditCommand[], text = OVERLAY): { added: string[]; gone: string[] } {
  const old = text.split("\n");
  const now = edited(commands, text).text.split("\n");
  return {
    added: now.filter((line) => !old.includes(line)),
    gone: old.filter((line) => !now.includes(line)),
  };
}

describe("an edit of a variant becomes an action of its overlay", () => {
  test("a value that the overlay has already is changed where it stands", () => {
    expect(changes([{ op: "setScalar", pointer: "/workflows/0/steps/0/timeout", value: 1000 }])).toEqual({
      added: ["    update: { timeout: 1000 }   # ms"],
      gone: ["    update: { timeout: 900 }   # ms"],
    });
    expect(changes([{ op: "setValue", pointer: "/workflows/0/steps/1/timeout", value: 7 }])).toEqual({
      added: ["        timeout: 7"],
      gone: [],
    });
  });

  test("an action of the same target takes another field", () => {
    expect(
      changes([{ op: "setValue", pointer: "/workflows/0/steps/0/description", value: "For guests" }]),
    ).toEqual({
      added: ["    update: { timeout: 900, description: For guests }   # ms"],
      gone: ["    update: { timeout: 900 }   # ms"],
    });
  });

  test("a field of the base is set by an action of its own", () => {
    expect(changes([{ op: "setValue", pointer: "/info/title", value: "Guests" }])).toEqual({
      added: ["  - target: $.info", "      title: Guests"],
      gone: [],
    });
  });

  test.each<[string, EditCommand]>([
    [
      "a criterion appended",
      { op: "insertItem", pointer: "/workflows/0/steps/0/successCriteria", value: { condition: "1 == 1" } },
    ],
    [
      "a criterion between two",
      {
        op: "insertItem",
        pointer: "/workflows/0/steps/0/successCriteria",
        at: 1,
        value: { condition: "1 == 1" },
      },
    ],
    [
      "a criterion without an id",
      {
        op: "setValue",
        pointer: "/workflows/0/steps/0/successCriteria/1/condition",
        value: "$statusCode < 300",
      },
    ],
    ["a criterion removed", { op: "removeValue", pointer: "/workflows/0/steps/0/successCriteria/0" }],
    [
      "a parameter whose name stands twice",
      { op: "setValue", pointer: "/workflows/0/steps/2/parameters/1/value", value: 2 },
    ],
    ["a parameter moved", { op: "moveItem", pointer: "/workflows/0/steps/2/parameters/1", to: 0 }],
    [
      "an output",
      { op: "setValue", pointer: "/workflows/0/steps/0/outputs/price", value: "$response.body#/price" },
    ],
    ["an output removed", { op: "removeValue", pointer: "/workflows/0/steps/0/outputs/id" }],
    ["a retry", { op: "setValue", pointer: "/workflows/0/steps/2/onFailure/0/retryLimit", value: 5 }],
    [
      "who proves a criterion",
      {
        op: "setValue",
        pointer: "/workflows/0/x-journey/acceptanceCriteria/0/provenBy/0",
        value: "pay#paid",
      },
    ],
    [
      "an object with fewer members",
      { op: "setValue", pointer: "/workflows/0/steps/0/successCriteria/0", value: { condition: "1 == 1" } },
    ],
    [
      "a value wrapped",
      { op: "wrapValue", pointer: "/workflows/0/steps/2/parameters/0/value", key: "context" },
    ],
    ["teardown", { op: "removeValue", pointer: "/workflows/0/x-journey/teardown/0" }],
    ["a step removed", { op: "removeStep", stepId: "read" }],
    ["a step moved", { op: "moveStep", stepId: "read", before: "create" }],
    ["a step renamed", { op: "renameStep", stepId: "create", to: "make" }],
  ])("%s, and the overlay's lines stay", (_, command) => {
    expect(changes([command]).gone).toEqual([]);
  });

  test("what the overlay added goes with its action", () => {
    const { text } = edited([{ op: "removeStep", stepId: "pay" }]);
    expect(text).not.toContain("pay");
    expect(text.endsWith("update: { timeout: 900 }   # ms\n")).toBe(true);
  });

  test("a reset takes back just what the overlay says of a value", () => {
    const set = edited([{ op: "setValue", pointer: "/info/title", value: "Guests" }]);
    const reset = edited([{ op: "resetValue", pointer: "/info/title" }], set.text);
    expect(reset.text).toBe(OVERLAY);
    const timeout = edited([{ op: "resetValue", pointer: "/workflows/0/steps/0/timeout" }]);
    expect(timeout.text).not.toContain("slower for guests");
    expect(valueAt(timeout.composed, "/workflows/0/steps/0/timeout")).toBe(500);
    const step = edited([{ op: "resetValue", pointer: "/workflows/0/steps/1" }]);
    expect(step.text).not.toContain("pay");
  });

  test("a reset of what the base says is refused", () => {
    const result = editVariant({ base, below: [] }, OVERLAY, [{ op: "resetValue", pointer: "/info/title" }], {
      file,
    });
    expect(result).toMatchObject({
      ok: false,
      index: 0,
      problems: [{ message: "The variant has this value from its base already.", file, line: 7 }],
    });
  });

  test("all edits or none: the one that is refused is named", () => {
    const commands: EditCommand[] = [
      { op: "setValue", pointer: "/info/title", value: "Guests" },
      { op: "removeStep", stepId: "nobody" },
    ];
    expect(editVariant({ base, below: [] }, OVERLAY, commands, { file })).toMatchObject({
      ok: false,
      index: 1,
    });
  });

  test("an overlay on an overlay changes only itself", () => {
    const lower = parseOverlay(OVERLAY, { file });
    const upper = OVERLAY.replace("id: guests", "id: late")
      .replace("./base.journey.yaml", "./guests.overlay.yaml")
      .replace(/ {2}- target: \$[^]*/, "  - { target: $.info, update: { summary: Late } }\n");
    const commands: EditCommand[] = [
      { op: "setValue", pointer: "/workflows/0/steps/0/timeout", value: 1200 },
      { op: "setValue", pointer: "/workflows/0/steps/1/operationId", value: "payLate" },
    ];
    const result = editVariant({ base, below: [lower] }, upper, commands, { file: "late.overlay.yaml" });
    expect(result.ok && valueAt(result.composed, "/workflows/0/steps/1/operationId")).toBe("payLate");
    expect(result.ok && result.text.startsWith(upper.trimEnd())).toBe(true);
  });
});

test("edits of a journey become a new overlay that makes the edited journey of it", () => {
  const commands: EditCommand[] = [
    { op: "setValue", pointer: "/workflows/0/steps/0/timeout", value: 700 },
    { op: "removeStep", stepId: "read" },
  ];
  const names = { id: "quick", title: "Quick orders", file: "quick.overlay.yaml" };
  const result = wrapAsOverlay(base, commands, names);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  const plain = editAll(
    BASE,
    [{ op: "setValue", pointer: "/info/title", value: "Quick orders" }, ...commands],
    { file: "base.journey.yaml" },
  );
  expect(result.composed).toEqual(plain.ok ? parseDocument(plain.text, { file: "b" }).raw : undefined);
});
