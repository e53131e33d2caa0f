import { readFileSync } from "node:fs";
import path from "node:path";
import { jsonEqual } from "@waymark/openapi/json.ts";
import { ARAZZO_DOCUMENTS, WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyOf, redone, undone } from "../../web/src/journeys/build/text/text-history.ts";
import { createTextStore, type TextStore } from "../../web/src/journeys/build/text/text-store.ts";
import {
  appendTo,
  duplicateOf,
  freeStepId,
  listChange,
  moveTo,
  removeFrom,
  removeFromExtension,
  setAssertionId,
  setNarrowly,
  setOrRemove,
} from "../../web/src/journeys/build/visual/commands.ts";
import {
  outlineOf,
  type StepCard,
  type WorkflowOutline,
} from "../../web/src/journeys/build/visual/outline.ts";
import { parseBase } from "../../web/src/journeys/build/variant/base-texts.ts";
import { createVariantEditor } from "../../web/src/journeys/build/variant/variant-editor.ts";
import {
  createVisualEditor,
  type VisualChanges,
  type VisualEditor,
} from "../../web/src/journeys/build/visual/visual-editor.ts";
import { recordFigures } from "../faults/support/figures.ts";

interface Opened extends VisualChanges {
  store: TextStore;
  editor: VisualEditor;
}

interface Subject {
  kind: "journey" | "variant";
  text: string;
  open: (text: string) => Promise<Opened>;
}

/** Each text also with the other line break. */
function withBreaks(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [text, text.replaceAll("\n", "\r\n")];
}

const BASE = {
  journey: {
    path: path.basename(WORKED_EXAMPLE.journey),
    text: readFileSync(WORKED_EXAMPLE.journey, "utf8"),
  },
  overlays: [],
};
const file = path.basename(WORKED_EXAMPLE.overlay);

async function opened(text: string): Promise<Opened> {
  const store = createTextStore(historyOf(text));
  const editor = createVisualEditor(store, { file: "a.yaml" });
  return { store, editor, ...(await editor.loadChanges()) };
}

async function openedVariant(text: string): Promise<Opened> {
  const store = createTextStore(historyOf(text));
  const editor = createVariantEditor(store, { below: parseBase(BASE), file });
  return { store, editor, ...(await editor.loadChanges()) };
}

const SUBJECTS: readonly Subject[] = [
  ...[...ARAZZO_DOCUMENTS, WORKED_EXAMPLE.journey]
    .flatMap(withBreaks)
    .map((text): Subject => ({ kind: "journey", text, open: opened })),
  ...withBreaks(WORKED_EXAMPLE.overlay).map((text): Subject => ({
    kind: "variant",
    text,
    open: openedVariant,
  })),
];

function outline({ store, editor }: Opened): WorkflowOutline[] {
  const { value } = editor.show(store.get().text);
  return value === undefined ? [] : outlineOf(value);
}

/** The commands of the view's buttons and fields, by number. */
const ACTIONS: ((
  workflow: WorkflowOutline,
  step: StepCard,
) => Parameters<VisualChanges["run"]>[0] | undefined)[] = [
  (workflow, step) => moveTo(workflow, workflow.steps.indexOf(step), workflow.steps.indexOf(step) + 2),
  (workflow, step) => moveTo(workflow, workflow.steps.indexOf(step), workflow.steps.indexOf(step) - 1),
  (workflow, step) => moveTo(workflow, workflow.steps.indexOf(step), 0),
  (workflow, step) => moveTo(workflow, workflow.steps.indexOf(step), workflow.steps.length),
  duplicateOf,
  ({ workflowId }, { stepId }) => ({ op: "removeStep", workflowId, stepId }),
  (workflow, { stepId }) => ({
    op: "renameStep",
    workflowId: workflow.workflowId,
    stepId,
    to: freeStepId(workflow, "renamed"),
  }),
  (workflow, { stepId }) => ({
    op: "insertStep",
    workflowId: workflow.workflowId,
    step: { stepId: freeStepId(workflow, "new"), operationId: "any" },
    after: stepId,
  }),
  (_, { value, pointer }) =>
    appendTo(value, pointer, "parameters", { name: "n", in: "query", value: "$inputs.n" }),
  (_, { parameters }) =>
    parameters[0] && { op: "setValue", pointer: `${parameters[0].pointer}/value`, value: ["a", { b: 1 }] },
  (_, { parameters }) => parameters[0] && removeFrom(parameters.length, parameters[0].pointer),
  (_, { value, pointer }) => appendTo(value, pointer, "successCriteria", { condition: "$statusCode == 299" }),
  ({ workflowId }, { stepId, assertions: [first] }) =>
    first && setAssertionId({ workflowId, stepId }, first, "an: id"),
  ({ workflowId, proofs: [proof = ""] }, { stepId, assertions }) => {
    const proving = assertions.find(({ id }) => proof === `${stepId}#${id}`);
    return proving && setAssertionId({ workflowId, stepId }, proving, `${proving.id}-it`);
  },
  (_, { assertions }) => assertions[0] && removeFrom(assertions.length, assertions[0].pointer),
  (_, { value, pointer }) => setOrRemove(value, pointer, "description", "two\nlines"),
  (_, { value, pointer }) => setOrRemove(value, pointer, "timeout", undefined),
  (_, { outputs }) => outputs[0] && removeFrom(outputs.length, outputs[0].pointer),
  ({ acceptance: [first] }) =>
    first && listChange(`${first.pointer}/provenBy`, first.provenBy, [...first.provenBy, "a#b"]),
  (_, { assertions }) =>
    assertions[0] && { op: "setScalar", pointer: `${assertions[0].pointer}/condition`, value: "$a: b # c" },
  (_, { body }) =>
    body && setNarrowly(`${body.pointer}/payload`, body.payload, { title: "two\nlines", tags: [1, null] }),
  ({ extension, pointer }, { stepId }) =>
    extension && appendTo(extension, `${pointer}/x-journey`, "teardown", { step: stepId }),
  (workflow) =>
    workflow.acceptance[0] &&
    removeFromExtension(workflow, workflow.acceptance.length, workflow.acceptance[0].pointer),
  (_, { pointer }) => ({ op: "resetValue", pointer }),
];

describe("the visual view's commands", () => {
  it("are each undone at once, and undoing all of them gives the same bytes, in real documents and a variant", async () => {
    const tally = { sequences: 0, "of those of a variant": 0, commands: 0, refused: 0 };
    const choice = fc.tuple(fc.nat(ACTIONS.length - 1), fc.nat(20), fc.nat(20));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SUBJECTS),
        fc.array(choice, { minLength: 1, maxLength: 8 }),
        async (subject, choices) => {
          tally.sequences += 1;
          if (subject.kind === "variant") tally["of those of a variant"] += 1;
          const view = await subject.open(subject.text);
          for (const [action, workflowAt, stepAt] of choices) {
            const workflows = outline(view);
            const workflow = workflows[workflowAt % workflows.length];
            const step = workflow?.steps[stepAt % workflow.steps.length];
            const command = workflow && step && ACTIONS[action]?.(workflow, step);
            if (command === undefined) continue;
            const { past, text: before } = view.store.get();
            const refused = view.run(command);
            tally[refused === undefined ? "commands" : "refused"] += 1;
            const after = view.store.get();
            expect(after.past.length - past.length).toBe(after.text === before ? 0 : 1);
            expect(refused === undefined || after.text === before).toBe(true);
          }
          const last = view.store.get();
          for (const _ of last.past) view.store.update(undone);
          expect(view.store.get().text).toBe(subject.text);
          for (const _ of last.past) view.store.update(redone);
          expect(view.store.get().text).toBe(last.text);
        },
      ),
      { numRuns: scaled({ short: 60, long: 10_000 }) },
    );
    recordFigures("Random sequences of the visual view's commands, each undone", tally);
    expect(tally["of those of a variant"]).toBeGreaterThan(0);
    expect(tally.commands).toBeGreaterThan(60);
    // A journey has nothing to reset, unlike a variant.
    expect(tally.refused).toBeLessThan(tally.commands / 4);
  });

  it("leave every other line alone: comments, quotes and order", async () => {
    const view = await opened(
      "# a\nworkflows:\n  - workflowId: main # b\n    steps:\n      - { stepId: 'x', timeout: 1 } # c\n",
    );
    const [step] = outline(view)[0]?.steps ?? [];
    if (step === undefined) throw new Error("no step");
    view.run({ op: "setValue", pointer: `${step.pointer}/timeout`, value: 20 });
    expect(view.store.get().text).toBe(
      "# a\nworkflows:\n  - workflowId: main # b\n    steps:\n      - { stepId: 'x', timeout: 20 } # c\n",
    );
  });

  it("say why they are refused, with the line, and change nothing", async () => {
    const text = "workflows:\n  - workflowId: main\n    steps:\n      - stepId: only\n";
    const view = await opened(text);
    const refused = view.run({ op: "removeStep", workflowId: "main", stepId: "only" });
    expect(refused?.message).toBe("This is the workflow's only step; a workflow needs one.");
    expect(refused?.line).toBeGreaterThan(0);
    expect(view.store.get().text).toBe(text);
    expect((await opened("a: [")).run({ op: "removeValue", pointer: "/a" })?.code).toBe("syntax");
  });
});

describe("the smallest command", () => {
  it("sets only the member of a payload that differs", () => {
    const before = { a: { b: 1, c: [1] }, d: 2 };
    expect(setNarrowly("/p", before, { a: { b: 1, c: [2] }, d: 2 })).toEqual({
      op: "setValue",
      pointer: "/p/a/c",
      value: [2],
    });
    const other = { a: { b: 2, c: [2] }, d: 3 };
    expect(setNarrowly("/p", before, other)).toEqual({ op: "setValue", pointer: "/p", value: other });
    expect(setNarrowly("/p", undefined, "x")).toEqual({ op: "setValue", pointer: "/p", value: "x" });
  });

  it("adds or removes the one text in which two lists differ", () => {
    expect(listChange("/l", ["a", "b"], ["a"])).toEqual({ op: "removeValue", pointer: "/l/1" });
    expect(listChange("/l", ["a"], ["a", "b"])).toEqual({ op: "insertItem", pointer: "/l", value: "b" });
    expect(listChange("/l", ["a"], ["a"])).toBeUndefined();
    expect(jsonEqual(removeFrom(1, "/s/p/0"), { op: "removeValue", pointer: "/s/p" })).toBe(true);
  });
});
