import { readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { isObject } from "@waymark/openapi/json.ts";
import { valueAt } from "@waymark/openapi/pointer.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import type { EditCommand, ModelCommand } from "../src/edit/command.ts";
import { editAll } from "../src/edit/edit-all.ts";
import { expectedModel } from "../src/edit/expected-model.ts";
import { editVariant } from "../src/variant/edit-variant.ts";
import { commandFrom, editChoices, pointersOf } from "./support/arbitrary-edits.ts";

const RUNS = scaled({ short: 25, long: 1_000 });
const file = path.basename(WORKED_EXAMPLE.overlay);
const text = readFileSync(WORKED_EXAMPLE.overlay, "utf8");
const base = parseDocument(readFileSync(WORKED_EXAMPLE.journey, "utf8"), {
  file: path.basename(WORKED_EXAMPLE.journey),
});
const below = { base, below: [] };
const applied = applyOverlays(base, [parseOverlay(text, { file })]);
const composed = applied.raw;
if (composed === undefined) throw new Error("the worked example's variant can't be composed");

test("every field of a variant can be set, and undone", () => {
  // An overlay that replaced a workflow, its steps or a whole step would hide them from then on: that is refused.
  const isTooWide = /^\/workflows(?:\/\d+(?:\/steps(?:\/\d+)?)?)?$/;
  for (const pointer of pointersOf(composed, "").slice(1)) {
    if (isTooWide.test(pointer)) continue;
    const set: ModelCommand = { op: "setValue", pointer, value: "another" };
    const result = editVariant(below, text, [set], { file });
    if (!result.ok) throw new Error(`${pointer}: ${result.problems[0]?.message}`);
    expect(result.composed).toEqual(expectedModel(composed, set));
    expect(editAll(result.text, result.inverse, { file })).toMatchObject({ ok: true, text });
  }
});

test("a reset of an inherited field that was set gives the overlay's bytes", () => {
  const inherited = [...applied.provenance].filter(([, { change }]) => change === "inherited");
  const simple = inherited
    .map(([pointer]) => pointer)
    .filter((pointer) => isSimple(valueAt(composed, pointer)));
  expect(simple.length).toBeGreaterThan(50);
  for (const pointer of simple) {
    const commands: EditCommand[] = [
      { op: "setValue", pointer, value: "another" },
      { op: "resetValue", pointer },
    ];
    // The id of an item is what the base's item is found by: with another one, it is an item of the variant's own.
    if (/\/(?:stepId|workflowId|x-id|id|name)$/.test(pointer)) continue;
    const result = editVariant(below, text, commands, { file });
    expect({ pointer, ...result }).toMatchObject({ pointer, ok: true, text });
  }
});

function isSimple(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

test("any edits of a variant compose to what they mean, and undoing them gives the overlay's bytes", () => {
  const tally = { made: 0, refused: 0 };
  fc.assert(
    fc.property(editChoices, (choices) => {
      let current = text;
      let value = composed;
      const inverse: EditCommand[] = [];
      for (const choice of choices) {
        const command = commandFrom(value, choice);
        if (command === undefined || command.op === "patchText" || command.op === "resetValue") continue;
        const result = editVariant(below, current, [command], { file });
        tally[result.ok ? "made" : "refused"] += 1;
        if (!result.ok) continue;
        expect(result.composed).toEqual(expectedModel(value, command));
        inverse.unshift(...result.inverse);
        current = result.text;
        value = result.composed;
      }
      expect(isObject(value)).toBe(true);
      expect(editAll(current, inverse, { file })).toMatchObject({ ok: true, text });
    }),
    { numRuns: RUNS },
  );
  expect(tally.made).toBeGreaterThan(RUNS);
  // An overlay can't take away what everything else hangs on, such as all workflows.
  expect(tally.refused).toBeLessThan(tally.made / 5);
});
