import { isObject, jsonEqual } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { ParsedText } from "@waymark/journeys/document/parse-text.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { candidates } from "./candidates.ts";
import type { EditCommand, EditOf, ModelCommand } from "./command.ts";
import { expectedModel } from "./expected-model.ts";
import { openForEdits } from "./opened-text.ts";
import type { OpenedText } from "./opened-text.ts";
import { applyPatches, inverseOf, patchesFrom } from "./patch.ts";
import type { TextPatch } from "./patch.ts";
import { EditRefused } from "./refusal.ts";
import { findStep, findWorkflow } from "./steps.ts";
import { sourceFrom } from "./syntax.ts";

export type EditResult =
  | {
      ok: true;
      text: string;
      patches: TextPatch[];
      /** Commands that restore the old text byte for byte, if applied to the new one in this order. */
      inverse: EditCommand[];
      value: JsonObject;
      opened: OpenedText;
    }
  /** The document is not changed. */
  | { ok: false; problems: Problem[] };

/**
 * Applies one command as the smallest patch of the text. The patched text is parsed again, and the edit is refused unless its
 * value is exactly the intended one. No line outside the patch changes, including comments and quoting. The result's `opened` is
 * the input of the next command.
 */
export function editOpened(parsed: OpenedText, command: EditCommand): EditResult {
  if (parsed.problems.length > 0) return { ok: false, problems: parsed.problems };
  try {
    if (command.op === "resetValue")
      throw new EditRefused(
        "Only a variant has values to reset: this document has no base.",
        command.pointer,
      );
    return command.op === "patchText" ? patched(parsed, command) : edited(parsed, command);
  } catch (error) {
    if (error instanceof EditRefused) return { ok: false, problems: [problemOf(parsed, error)] };
    throw error;
  }
}

function edited(parsed: OpenedText, command: ModelCommand): EditResult {
  const { value, ast, text } = parsed;
  if (!isObject(value) || ast === undefined) throw new EditRefused("The document is no object.");
  const expected = expectedModel(value, command);
  const source = sourceFrom(text, ast);
  let reason: EditRefused | undefined;
  for (const candidate of candidates({ source, value, expected }, command)) {
    try {
      const result = resultOf(parsed, candidate());
      if (result.ok && jsonEqual(result.value, expected)) return result;
    } catch (error) {
      if (!(error instanceof EditRefused)) throw error;
      reason ??= error;
    }
  }
  const message =
    "The text is written in a way that this change can't be fitted into; make it in the text itself.";
  throw new EditRefused(reason?.message ?? message, reason?.pointer || placeOf(value, command));
}

/** Returns the pointer to the value that a command changes. */
function placeOf(value: JsonObject, command: ModelCommand): Pointer {
  if ("pointer" in command) return command.pointer;
  const found = findWorkflow(value, command.workflowId);
  const steps = `/workflows/${found.index}/steps`;
  return command.op === "insertStep" ? steps : `${steps}/${findStep(found, command.stepId)}`;
}

function patched(parsed: OpenedText, command: EditOf<"patchText">): EditResult {
  return resultOf(parsed, patchesFrom(parsed.text, command));
}

function resultOf({ text, file }: OpenedText, patches: TextPatch[]): EditResult {
  const opened = openForEdits(applyPatches(text, patches), { file });
  const { problems, value } = opened;
  if (problems.length > 0) return { ok: false, problems };
  if (!isObject(value)) throw new EditRefused("The document would be no object.");
  return {
    ok: true,
    text: opened.text,
    patches,
    inverse: inverseOf(text, patches, opened.text),
    value,
    opened,
  };
}

function problemOf(parsed: ParsedText, { message, pointer }: EditRefused): Problem {
  const place = sourceOf(parsed.positions, pointer);
  return { severity: "error", code: "edit-refused", message, pointer, ...place };
}
