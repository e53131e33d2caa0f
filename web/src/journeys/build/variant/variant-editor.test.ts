import { valueAt } from "@waymark/openapi/pointer.ts";
import { describe, expect, it } from "vitest";
import { historyOf, undone } from "../text/text-history.ts";
import { createTextStore } from "../text/text-store.ts";
import { parseBase } from "./base-texts.ts";
import { createVariantEditor } from "./variant-editor.ts";

const BASE = `# the base
arazzo: 1.1.0
info: { title: Orders, version: 1.0.0 }
sourceDescriptions: []
workflows:
  - workflowId: main
    steps:
      - stepId: create
        description: Makes one
        timeout: 500
        operationId: createOrder
        successCriteria: [{ x-id: made, condition: $statusCode == 201 }]
      - stepId: read
        operationId: getOrder
`;
const LOWER = `overlay: 1.1.0
info: { title: Lower, version: 1.0.0, x-overlay: { id: lower, extendsVersion: ^1.0.0 } }
extends: ./base.journey.yaml
actions:
  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='create']
    update: { timeout: 700 }
`;
const OWN = `overlay: 1.1.0
info: { title: Own, version: 1.0.0, x-overlay: { id: own, extendsVersion: ^1.0.0 } }
extends: ./lower.overlay.yaml
actions:
  - target: $.info
    update: { title: Own } # stays
`;
const CREATE = "/workflows/0/steps/0";
const READ = "/workflows/0/steps/1";

async function open(text = OWN, base = BASE) {
  const texts = {
    journey: { path: "base.journey.yaml", text: base },
    overlays: [{ path: "lower.overlay.yaml", text: LOWER }],
  };
  const store = createTextStore(historyOf(text));
  const editor = createVariantEditor(store, { below: parseBase(texts), file: "own.overlay.yaml" });
  const shown = () => editor.show(store.get().text);
  return {
    store,
    ...(await editor.loadChanges()),
    shown,
    origin: (pointer: string) => shown().fields?.originOf(pointer),
  };
}

describe("the editor of a variant", () => {
  it("makes an action of the overlay of each change, and resets it to what is below, byte for byte", async () => {
    const { store, run, shown, origin } = await open();
    expect(origin(`${CREATE}/timeout`)).toEqual({ change: "changed", isOwn: false, canReset: false });
    const pointer = `${CREATE}/timeout`;
    expect(run({ op: "setValue", pointer, value: 900 })).toBeUndefined();
    expect(valueAt(shown().value, pointer)).toBe(900);
    expect(origin(pointer)).toEqual({ change: "changed", isOwn: true, canReset: true });
    expect(origin(CREATE)).toEqual({ change: "changed", isOwn: true, canReset: true });
    expect(origin(READ)?.change).toBe("inherited");
    expect(run({ op: "resetValue", pointer })).toBeUndefined();
    expect(store.get().text).toBe(OWN);
    expect(valueAt(shown().value, pointer)).toBe(700);
    store.update(undone);
    store.update(undone);
    expect(store.get().text).toBe(OWN);
  });

  it("says of what it added that it is added, and where that stands in the text", async () => {
    const { store, run, shown, origin } = await open();
    const step = { stepId: "pay", operationId: "payOrder" };
    run({ op: "insertStep", workflowId: "main", step, after: "create" });
    expect(origin(READ)).toEqual({ change: "added", isOwn: true, canReset: true });
    expect(origin(`${READ}/operationId`)).toEqual({ change: "added", isOwn: true, canReset: false });
    const line = shown().lineOf(READ) ?? 0;
    expect(store.get().text.split("\n")[line - 1]).toContain("stepId: pay");
    expect(shown().lineOf(CREATE)).toBeUndefined();
    run({ op: "resetValue", pointer: READ });
    expect(store.get().text).toBe(OWN);
  });

  it("lists what it removes, and brings it back", async () => {
    const { store, run, bringBack, shown } = await open();
    run({ op: "removeStep", workflowId: "main", stepId: "read" });
    run({ op: "removeValue", pointer: `${CREATE}/description` });
    const removed = shown().fields?.removed ?? [];
    expect(removed.map(({ index }) => index)).toEqual([1, 2]);
    const [step = "", description = ""] = removed.map(({ target }) => target);
    expect(bringBack?.(step)).toBeUndefined();
    expect(valueAt(shown().value, `${READ}/stepId`)).toBe("read");
    // A second click changes nothing more.
    expect(bringBack?.(step)).toBeUndefined();
    expect(shown().fields?.removed.map(({ target }) => target)).toEqual([description]);
    expect(bringBack?.(description)).toBeUndefined();
    expect(store.get().text).toBe(OWN);
  });

  it("doesn't list a step that only moves as removed", async () => {
    const { run, shown } = await open();
    run({ op: "moveStep", workflowId: "main", stepId: "read", before: "create" });
    expect(valueAt(shown().value, `${CREATE}/stepId`)).toBe("read");
    expect(shown().fields?.removed).toEqual([]);
  });

  it("shows no steps where a text has a fault, and says in which one", async () => {
    expect((await open("overlay: [")).shown().fault?.line).toBe(1);
    const wrongTarget = OWN.replace("$.info", "$.nothing");
    expect((await open(wrongTarget)).shown().fault).toMatchObject({ line: 5 });
    const { fault } = (await open(OWN, "arazzo: [")).shown();
    expect(fault).toMatchObject({ line: undefined });
    expect(fault?.message).toContain("base.journey.yaml, line 1");
    const moved = (await open(OWN.replace("lower.overlay", "other.overlay"))).shown();
    expect(moved.fault).toMatchObject({ line: 3 });
    expect(moved.value).toBeUndefined();
  });
});
