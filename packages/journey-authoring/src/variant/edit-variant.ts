import { jsonEqual } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import type { EditCommand } from "../edit/command.ts";
import { editOpened } from "../edit/edit-document.ts";
import { openForEdits } from "../edit/opened-text.ts";
import type { OpenedText } from "../edit/opened-text.ts";
import { expectedModel } from "../edit/expected-model.ts";
import { EditRefused } from "../edit/refusal.ts";
import { waysTo } from "./actions.ts";
import { compose } from "./compose.ts";
import type { Composed, VariantBase } from "./compose.ts";
import { lowered } from "./lower.ts";
import { checkResettable, expectedReset, waysToReset } from "./reset.ts";

export type VariantResult =
  | {
      ok: true;
      /** The overlay's text. Its base is not changed. */
      text: string;
      /** Commands that restore the overlay's old text byte for byte, if applied in this order. */
      inverse: EditCommand[];
      /** The composed journey after the edits. */
      composed: JsonObject;
    }
  | { ok: false; index: number; problems: Problem[] };

interface Variant {
  opened: OpenedText;
  composed: Composed;
  inverse: EditCommand[];
}

/** Faults of the overlay or its base, found before or after an edit. */
class Faulty extends Error {
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super("The variant can't be composed.");
    this.problems = problems;
  }
}

/**
 * Edits a variant: commands refer to the composed journey and become actions of the overlay, all of them or none. The overlay's
 * other lines are not changed. `patchText` refers to the overlay's own text.
 */
export function editVariant(
  below: VariantBase,
  text: string,
  commands: readonly EditCommand[],
  { file }: { file: string },
): VariantResult {
  let index = 0;
  let opened = openForEdits(text, { file });
  try {
    let variant = read(below, opened, []);
    for (const command of commands) {
      variant = edited(below, variant, command);
      ({ opened } = variant);
      index += 1;
    }
    const { composed, inverse } = variant;
    return { ok: true, text: opened.text, inverse, composed: composed.value };
  } catch (error) {
    if (error instanceof Faulty) return { ok: false, index, problems: error.problems };
    if (!(error instanceof EditRefused)) throw error;
    const { message, pointer } = error;
    const place = sourceOf(opened.positions, "/actions");
    return {
      ok: false,
      index,
      problems: [{ severity: "error", code: "edit-refused", message, pointer, ...place }],
    };
  }
}

function read(below: VariantBase, opened: OpenedText, inverse: EditCommand[]): Variant {
  if (opened.problems.length > 0) throw new Faulty(opened.problems);
  const composition = compose(below, parseOverlay(opened.text, { file: opened.file }));
  if (!composition.ok) throw new Faulty(composition.problems);
  return { opened, composed: composition.composed, inverse };
}

function edited(below: VariantBase, variant: Variant, command: EditCommand): Variant {
  const { composed } = variant;
  if (command.op === "patchText") return withEdits(below, variant, [command]);
  if (command.op === "resetValue") {
    const lower = compose(below);
    if (!lower.ok) throw new Faulty(lower.problems);
    const expected = expectedReset(composed, lower.composed, command.pointer);
    checkResettable(composed, expected, command.pointer);
    return firstThatFits(below, variant, waysToReset(composed, command.pointer), expected, command.pointer);
  }
  const intended = expectedModel(composed.value, command);
  let current = variant;
  for (const change of lowered(composed.value, command)) {
    const expected = expectedModel(current.composed.value, change);
    if (jsonEqual(expected, current.composed.value)) continue;
    const ways = waysTo(current.composed, change, expected);
    current = firstThatFits(below, current, ways, expected, change.pointer);
  }
  if (!jsonEqual(current.composed.value, intended))
    throw new EditRefused("The overlay can't say this change.");
  return current;
}

function firstThatFits(
  below: VariantBase,
  variant: Variant,
  ways: Iterable<EditCommand[]>,
  expected: JsonObject,
  pointer: string,
): Variant {
  for (const way of ways) {
    try {
      const tried = withEdits(below, variant, way);
      if (jsonEqual(tried.composed.value, expected)) return tried;
    } catch (error) {
      if (!(error instanceof Faulty)) throw error;
    }
  }
  throw new EditRefused(
    "No action of an overlay can express only this change: name the item with x-id or stepId in the base, or edit the overlay's text.",
    pointer,
  );
}

function withEdits(below: VariantBase, variant: Variant, way: readonly EditCommand[]): Variant {
  let { opened } = variant;
  const inverse = [...variant.inverse];
  for (const command of way) {
    const result = editOpened(opened, command);
    if (!result.ok) throw new Faulty(result.problems);
    inverse.unshift(...result.inverse);
    ({ opened } = result);
  }
  return read(below, opened, inverse);
}
