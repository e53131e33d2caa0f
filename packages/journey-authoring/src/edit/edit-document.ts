import { isAlias, isSeq } from "yaml";
import type { YAMLSeq } from "yaml";
import { isObject, jsonEqual, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer, valueAt } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import type { ParsedText } from "@waymark/journeys/document/parse-text.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { insertBlockStep, moveBlockStep, removeBlockStep } from "./block-steps.ts";
import type { EditCommand } from "./command.ts";
import { insertFlowStep, moveFlowStep, removeFlowStep } from "./flow-steps.ts";
import { expectedModel } from "./expected-model.ts";
import { applyPatches } from "./patch.ts";
import type { TextPatch } from "./patch.ts";
import { EditRefused } from "./refusal.ts";
import { renaming } from "./rename.ts";
import { addMember, replaceScalar, scalarPatch } from "./scalars.ts";
import { findStep, findWorkflow, insertionIndex } from "./steps.ts";
import { isFlow, locate, sourceFrom } from "./syntax.ts";
import type { Source } from "./syntax.ts";

/** A text that was read with its tokens: what `editOpened` works on, and gives back for the next command. */
export type OpenedText = ParsedText & { readonly opened: true };

export type EditResult =
  | { ok: true; text: string; patches: TextPatch[]; value: JsonObject; opened: OpenedText }
  /** The document stays as it is. */
  | { ok: false; problems: Problem[] };

/** Reads a text once, for any number of commands. Faults of the text are told by the first of them. */
export function openForEdits(text: string, { file }: { file: string }): OpenedText {
  return { ...parseText(text, { file, keepTokens: true }), opened: true };
}

/**
 * Carries out one command as the smallest patch of the text. The patched text is parsed again, and the edit is refused
 * unless it says exactly what the command means; no line outside the patch changes, comments and quoting included.
 */
export function editDocument(text: string, command: EditCommand, { file }: { file: string }): EditResult {
  return editOpened(openForEdits(text, { file }), command);
}

/** As `editDocument`, for one command after another: the check of one edit is the reading for the next. */
export function editOpened(parsed: OpenedText, command: EditCommand): EditResult {
  const { value, ast, text, file } = parsed;
  if (parsed.problems.length > 0) return { ok: false, problems: parsed.problems };
  if (!isObject(value) || ast === undefined)
    return refused(parsed, new EditRefused("The document is no object."));
  const source = sourceFrom(text, ast);
  try {
    const expected = expectedModel(value, command);
    for (const patches of candidates(source, value, expected, command)) {
      const edited = applyPatches(text, patches);
      const again = openForEdits(edited, { file });
      if (again.problems.length === 0 && jsonEqual(again.value, expected)) {
        return { ok: true, text: edited, patches, value: expected, opened: again };
      }
    }
  } catch (error) {
    if (error instanceof EditRefused) return refused(parsed, error);
    throw error;
  }
  const message =
    "The text is written in a way that this change can't be fitted into; make it in the text itself.";
  return refused(parsed, new EditRefused(message, command.op === "setScalar" ? command.pointer : ""));
}

function refused(parsed: ParsedText, { message, pointer }: EditRefused): EditResult {
  const place = sourceOf(parsed.positions, pointer);
  return { ok: false, problems: [{ severity: "error", code: "edit-refused", message, pointer, ...place }] };
}

/** Patches to try, the smallest first. */
function* candidates(
  source: Source,
  value: JsonObject,
  expected: JsonObject,
  command: EditCommand,
): Generator<TextPatch[]> {
  if (command.op === "setScalar") {
    const exists = valueAt(value, command.pointer) !== undefined;
    const patch = exists ? replaceScalar : addMember;
    yield [patch(source, command.pointer, command.value)];
    // A comment below may be indented so deep that it would fall into a block scalar.
    yield [patch(source, command.pointer, command.value, true)];
  } else if (command.op === "renameStep") {
    const changed = changedTexts(value, expected, "");
    const workflowId = ownString(findWorkflow(value, command.workflowId).workflow, "workflowId");
    yield renamePatches(source, changed, renaming(workflowId, command.stepId, command.to));
    yield changed.map(({ pointer, to }) => replaceScalar(source, pointer, to));
  } else yield stepPatches(source, value, command);
}

function stepPatches(
  source: Source,
  value: JsonObject,
  command: Exclude<EditCommand, { op: "setScalar" | "renameStep" }>,
): TextPatch[] {
  const found = findWorkflow(value, command.workflowId);
  const seq = stepsNode(source, found.index);
  const flow = isFlow(seq);
  if (command.op === "insertStep") {
    const at = insertionIndex(found, command);
    return flow
      ? insertFlowStep(source, seq, at, command.step)
      : insertBlockStep(source, seq, at, command.step);
  }
  const from = findStep(found, command.stepId);
  if (command.op === "removeStep")
    return flow ? removeFlowStep(source, seq, from) : removeBlockStep(source, seq, from);
  const to = insertionIndex(found, command);
  return flow ? moveFlowStep(source, seq, from, to) : moveBlockStep(source, seq, from, to);
}

function stepsNode(source: Source, workflow: number): YAMLSeq {
  const pointer = `/workflows/${workflow}/steps`;
  const { node, shared } = locate(source, pointer);
  if (shared || isAlias(node)) throw new EditRefused("These steps are used through an alias.", pointer);
  if (!isSeq(node)) throw new EditRefused("The workflow has no list of steps.", pointer);
  return node;
}

interface ChangedText {
  pointer: Pointer;
  from: JsonPrimitive;
  to: JsonPrimitive;
}

/** Scalars that differ between two documents of the same shape. */
function changedTexts(before: JsonValue, after: JsonValue | undefined, pointer: Pointer): ChangedText[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.flatMap((item, index) => changedTexts(item, after[index], childPointer(pointer, index)));
  }
  if (isObject(before) && isObject(after)) {
    return Object.entries(before).flatMap(([key, item]) =>
      changedTexts(item, after[key], childPointer(pointer, key)),
    );
  }
  if (before === after || typeof before === "object" || typeof after === "object" || after === undefined)
    return [];
  return [{ pointer, from: before, to: after }];
}

/** Changes only the characters of the name, wherever the text of the scalar shows them. */
function renamePatches(
  source: Source,
  changed: ChangedText[],
  names: ReturnType<typeof renaming>,
): TextPatch[] {
  const patches = new Map<number, TextPatch>();
  for (const { pointer, from, to } of changed) {
    const located = locate(source, pointer);
    const [start, end] = located.node?.range ?? [0, 0];
    const old = source.text.slice(start, end);
    const rewritten =
      from === names.from
        ? old.replace(names.from, () => names.to)
        : provenBy(names.expressions(old), names, from);
    const patch =
      old === rewritten ? scalarPatch(source, located, to, pointer) : { start, end, text: rewritten };
    patches.set(patch.start, patch);
  }
  return [...patches.values()];
}

function provenBy(text: string, { from, to }: ReturnType<typeof renaming>, value: JsonPrimitive): string {
  const isReference = typeof value === "string" && value.startsWith(`${from}#`);
  return isReference ? text.replace(`${from}#`, () => `${to}#`) : text;
}
