import { ownArray } from "@waymark/openapi/json.ts";
import { expect, test } from "vitest";
import { historyOf, undone, withText } from "../text/text-history.ts";
import { createTextStore } from "../text/text-store.ts";
import { type Change, changerOf } from "./changer.ts";
import { createVisualEditor, type VisualEditor } from "./visual-editor.ts";

const TEXT = `workflows:
  - workflowId: main
    steps:
      - { stepId: a }
      - { stepId: b }
      - { stepId: c }
`;

function open(load?: VisualEditor["loadChanges"]) {
  const store = createTextStore(historyOf(TEXT));
  const editor = createVisualEditor(store, { file: "a.yaml" });
  const ends: (string | undefined)[] = [];
  const view = load ? { show: editor.show, loadChanges: load } : editor;
  /** Asks for a change of the journey that a text makes: the present one, or one that is still shown. */
  const change = (wanted: Change, text = store.get().text) =>
    new Promise<boolean>((onEnd) => {
      const changer = changerOf(store, view, {
        shown: editor.show(text).value,
        onEnd: (refused, after) => {
          ends.push(refused?.message);
          after.onEnd?.(refused === undefined);
        },
      });
      changer.change(wanted, { onEnd });
    });
  return { store, editor, ends, change };
}

const remove = (stepId: string) => ({ op: "removeStep", workflowId: "main", stepId }) as const;
const describeStep = (index: number, value: string) =>
  ({ op: "setValue", pointer: `/workflows/0/steps/${index}/description`, value }) as const;

test("a change is made as soon as what makes changes is loaded", async () => {
  const { store, ends, change } = open();
  expect(await change(remove("a"))).toBe(true);
  expect(store.get().text).toBe(TEXT.replace("      - { stepId: a }\n", ""));
  store.update(undone);
  expect(store.get().text).toBe(TEXT);
  expect(ends).toEqual([undefined]);
});

test("changes that come while their code loads are made in order, each of what it was asked for", async () => {
  const loading = Promise.withResolvers<void>();
  const { store, editor, ends, change } = open(async () => {
    await loading.promise;
    return editor.loadChanges();
  });
  const changes = [
    change(remove("a")),
    change(describeStep(1, "of b")),
    change(describeStep(2, "of c")),
    change(describeStep(2, "again of c")),
    change({ op: "moveStep", workflowId: "main", stepId: "c", before: "b" }),
  ];
  expect(store.get().text).toBe(TEXT);
  loading.resolve();
  expect(await Promise.all(changes)).toEqual([true, true, true, true, true]);
  const [workflow] = ownArray(editor.show(store.get().text).value, "workflows");
  expect(ownArray(workflow, "steps")).toEqual([
    { stepId: "c", description: "again of c" },
    { stepId: "b", description: "of b" },
  ]);
  for (let undos = 0; undos < 5; undos++) store.update(undone);
  expect(store.get().text).toBe(TEXT);
  // Once it is loaded, a change is made at once.
  void change(remove("b"));
  expect(store.get().text).not.toContain("stepId: b");
  expect(ends).toEqual(Array.from({ length: 6 }, () => undefined));
});

test("a change is of the steps that are shown, which may be older than the text", async () => {
  const { store, ends, change } = open();
  await change(remove("a"));
  expect(await change(describeStep(1, "of b"), TEXT)).toBe(true);
  expect(store.get().text).toContain("stepId: b, description: of b");
  // The second of two clicks on a button finds the step removed, and a removed step can't be changed.
  expect(await change(remove("a"), TEXT)).toBe(true);
  expect(await change(describeStep(0, "of a"), TEXT)).toBe(false);
  expect(ends).toEqual([undefined, undefined, undefined, expect.stringMatching(/removed what it changes/)]);
});

test("a change is refused with the reason, and so is one of a text that can't be read", async () => {
  const { store, ends, change } = open();
  for (const stepId of ["a", "b", "c"]) await change(remove(stepId));
  expect(ends).toEqual([undefined, undefined, "This is the workflow's only step; a workflow needs one."]);
  store.update((history) => withText(history, "workflows: ["));
  expect(await change(remove("c"), TEXT)).toBe(false);
  expect(store.get().text).toBe("workflows: [");
});

test("code that can't be loaded is said for each change, changes nothing, and is loaded again", async () => {
  let isOnline = false;
  const { store, editor, ends, change } = open(() =>
    isOnline ? editor.loadChanges() : Promise.reject(new Error("offline")),
  );
  expect(await Promise.all([change(remove("a")), change(remove("b"))])).toEqual([false, false]);
  expect(ends).toEqual([expect.stringMatching(/Check the connection/), ends[0]]);
  expect(store.get().text).toBe(TEXT);
  isOnline = true;
  expect(await change(remove("a"))).toBe(true);
});
