import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { describe, expect, it } from "vitest";
import { rebase } from "./rebase.ts";

const MAIN = { workflowId: "main" };
const journey = (...steps: JsonObject[]): JsonObject => ({ workflows: [{ ...MAIN, steps }] });
const A: JsonObject = { stepId: "a" };
const B: JsonObject = { stepId: "b" };
const C: JsonObject = { stepId: "c" };
const withConditions = (...conditions: string[]) =>
  journey({ ...A, successCriteria: conditions.map((condition) => ({ condition })) });

const STEPS = "/workflows/0/steps";
const CRITERIA = `${STEPS}/0/successCriteria`;
const set = (pointer: string, value: JsonValue): EditCommand => ({ op: "setValue", pointer, value });
const remove = (pointer: string): EditCommand => ({ op: "removeValue", pointer });

describe("a place", () => {
  it.each<[string, JsonObject, JsonObject, string, string | undefined]>([
    [
      "stays where nothing moved",
      journey(A, B),
      journey({ ...A, timeout: 1 }, B),
      `${STEPS}/1/x`,
      `${STEPS}/1/x`,
    ],
    [
      "of an item that changed is the same",
      journey(A, B),
      journey(A, { ...B, timeout: 1 }),
      `${STEPS}/1/x`,
      `${STEPS}/1/x`,
    ],
    ["moves up after a removal", journey(A, B, C), journey(B, C), `${STEPS}/2/x`, `${STEPS}/1/x`],
    ["moves down after an insertion", journey(B, C), journey(A, B, C), `${STEPS}/1/x`, `${STEPS}/2/x`],
    ["follows an item that moved", journey(A, B, C), journey(B, C, A), `${STEPS}/0/x`, `${STEPS}/2/x`],
    [
      "follows a step whose text changed with its new place",
      journey(A, B),
      journey(B, { ...A, x: 1 }),
      `${STEPS}/0/y`,
      `${STEPS}/1/y`,
    ],
    [
      "is that of a step with a new id",
      journey(A, B),
      journey(C, { ...B, dependsOn: ["c"] }),
      `${STEPS}/0/x`,
      `${STEPS}/0/x`,
    ],
    ["in a removed item is gone", journey(A, B), journey(B), `${STEPS}/0/x`, undefined],
    ["in a removed member is gone", withConditions("1"), journey(A), `${CRITERIA}/0/condition`, undefined],
  ])("%s", (_name, before, after, pointer, expected) => {
    const rebased = rebase({ op: "setScalar", pointer, value: 1 }, before, after);
    expect(rebased).toEqual(expected && { op: "setScalar", pointer: expected, value: 1 });
  });
});

describe("what another change added", () => {
  it("stays when a list is added: the item goes to its end", () => {
    const command = set(CRITERIA, [{ condition: "2" }]);
    expect(rebase(command, journey(A), withConditions("1"))).toEqual({
      op: "insertItem",
      pointer: CRITERIA,
      value: { condition: "2" },
    });
    expect(rebase(command, journey(A, B), journey(A))).toEqual(command);
  });

  it("stays when an object with a list is added", () => {
    const pointer = "/workflows/0/x-journey";
    const command = set(pointer, { teardown: [{ step: "a" }] });
    const withExtension = (extension: JsonObject) => ({
      workflows: [{ ...MAIN, steps: [A], "x-journey": extension }],
    });
    expect(rebase(command, journey(A), withExtension({ vars: {} }))).toEqual(
      set(`${pointer}/teardown`, [{ step: "a" }]),
    );
    expect(rebase(command, journey(A), withExtension({ teardown: [{ step: "b" }] }))).toEqual({
      op: "insertItem",
      pointer: `${pointer}/teardown`,
      value: { step: "a" },
    });
  });

  it("stays when the last item or member is removed with what holds it", () => {
    expect(rebase(remove(CRITERIA), withConditions("1"), withConditions("0", "1"))).toEqual(
      remove(`${CRITERIA}/1`),
    );
    const outputs = (of: JsonObject) => journey({ ...A, outputs: of });
    expect(rebase(remove(`${STEPS}/0/outputs`), outputs({ x: 1 }), outputs({ x: 1, y: 2 }))).toEqual(
      remove(`${STEPS}/0/outputs/x`),
    );
  });
});

it("what is removed already is gone", () => {
  expect(rebase(remove(CRITERIA), withConditions("1"), journey(A))).toBeUndefined();
  expect(rebase({ op: "removeStep", ...MAIN, stepId: "a" }, journey(A, B), journey(B))).toBeUndefined();
});

describe("a command for a step", () => {
  it("follows its new id", () => {
    const renamed = journey({ stepId: "new" }, B);
    const command = { op: "moveStep", ...MAIN, stepId: "b", before: "a" } as const;
    expect(rebase(command, journey(A, B), renamed)).toMatchObject({ stepId: "b", before: "new" });
    expect(rebase({ op: "removeStep", ...MAIN, stepId: "a" }, journey(A, B), renamed)).toMatchObject({
      stepId: "new",
    });
  });

  it("moves it once more if it was moved", () => {
    const down = { op: "moveStep", ...MAIN, stepId: "a", after: "b" } as const;
    expect(rebase(down, journey(A, B, C), journey(B, A, C))).toMatchObject({ stepId: "a", after: "c" });
    // At the end of the list there is nothing more to do.
    expect(rebase(down, journey(A, B), journey(B, A))).toMatchObject({ stepId: "a", after: "b" });
  });

  it("inserts one with an id that is free", () => {
    const copy = { op: "insertStep", ...MAIN, step: { stepId: "a-2" }, after: "a" } as const;
    expect(rebase(copy, journey(A), journey(A, { stepId: "a-2" }))).toMatchObject({
      step: { stepId: "a-3" },
      after: "a",
    });
    expect(rebase(copy, journey(A, B), journey(B))).toMatchObject({ step: { stepId: "a-2" } });
  });
});
