import { isAlias, isSeq } from "yaml";
import type { YAMLSeq } from "yaml";
import { ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { parentPointer, valueAt } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { insertBlockItem, moveBlockItem, removeBlockItem } from "./block-items.ts";
import type { EditOf, ModelCommand } from "./command.ts";
import { insertFlowItem, moveFlowItem, removeFlowItem } from "./flow-items.ts";
import type { TextPatch } from "./patch.ts";
import { EditRefused } from "./refusal.ts";
import { renaming } from "./rename.ts";
import { changedTexts, renamePatches } from "./rename-text.ts";
import { replaceScalar } from "./scalars.ts";
import { findStep, findWorkflow, insertionIndex } from "./steps.ts";
import { isFlow, locate } from "./syntax.ts";
import type { Source } from "./syntax.ts";
import { addValue, removeValue, replaceValue, wrapValue } from "./values.ts";

interface Edit {
  source: Source;
  value: JsonObject;
  expected: JsonObject;
}

/** The ways to apply a command, the smallest first. If one throws EditRefused, the next one is tried. */
export function candidates({ source, value, expected }: Edit, command: ModelCommand): (() => TextPatch[])[] {
  switch (command.op) {
    case "setScalar":
    case "setValue":
      return setting(source, value, command);
    case "insertItem": {
      const { pointer, at } = command;
      return [
        () => {
          const seq = listNode(source, pointer);
          const index = at ?? seq.items.length;
          const insert = isFlow(seq) ? insertFlowItem : insertBlockItem;
          return insert(source, seq, index, command.value);
        },
      ];
    }
    case "moveItem":
      return [() => moveTo(source, parentPointer(command.pointer), lastIndex(command.pointer), command.to)];
    case "removeValue":
      return [() => removeValue(source, command.pointer)];
    case "wrapValue": {
      const { pointer, key } = command;
      const wrapped = valueAt(expected, pointer) ?? null;
      return [
        () => wrapValue(source, pointer, key, false),
        () => wrapValue(source, pointer, key, true),
        () => replaceValue(source, pointer, wrapped, "brackets"),
      ];
    }
    case "renameStep":
      return renamings({ source, value, expected }, command);
    case "renameAssertion":
      return [
        () => changedTexts(value, expected, "").map(({ pointer, to }) => replaceScalar(source, pointer, to)),
      ];
    default:
      return [() => stepPatches(source, value, command)];
  }
}

function lastIndex(pointer: Pointer): number {
  return Number(pointer.slice(pointer.lastIndexOf("/") + 1));
}

function setting(
  source: Source,
  root: JsonObject,
  { pointer, value }: EditOf<"setScalar" | "setValue">,
): (() => TextPatch[])[] {
  const before = valueAt(root, pointer);
  if (before === undefined) {
    return [
      () => addValue(source, pointer, value, "lines"),
      () => addValue(source, pointer, value, "brackets"),
    ];
  }
  const whole = [
    () => replaceValue(source, pointer, value, "lines"),
    () => replaceValue(source, pointer, value, "brackets"),
  ];
  if (isCollection(value) || isCollection(before)) return whole;
  return [
    () => [replaceScalar(source, pointer, value)],
    // A comment below may be indented so far that it would become part of a block scalar.
    () => [replaceScalar(source, pointer, value, true)],
    ...whole,
  ];
}

function isCollection(value: JsonValue): value is Exclude<JsonValue, string | number | boolean | null> {
  return typeof value === "object" && value !== null;
}

function renamings({ source, value, expected }: Edit, command: EditOf<"renameStep">): (() => TextPatch[])[] {
  const changed = changedTexts(value, expected, "");
  const workflowId = ownString(findWorkflow(value, command.workflowId).workflow, "workflowId");
  return [
    () => renamePatches(source, changed, renaming(workflowId, command.stepId, command.to)),
    () => changed.map(({ pointer, to }) => replaceScalar(source, pointer, to)),
  ];
}

function stepPatches(
  source: Source,
  value: JsonObject,
  command: EditOf<"insertStep" | "moveStep" | "removeStep">,
): TextPatch[] {
  const found = findWorkflow(value, command.workflowId);
  const pointer = `/workflows/${found.index}/steps`;
  const seq = listNode(source, pointer);
  if (command.op === "insertStep") {
    const insert = isFlow(seq) ? insertFlowItem : insertBlockItem;
    return insert(source, seq, insertionIndex(found, command), command.step);
  }
  const from = findStep(found, command.stepId);
  if (command.op === "removeStep")
    return isFlow(seq) ? removeFlowItem(source, seq, from) : removeBlockItem(source, seq, from);
  const before = insertionIndex(found, command);
  return moveTo(source, pointer, from, before > from ? before - 1 : before);
}

/** `to` is the index that the item has afterwards. */
function moveTo(source: Source, list: Pointer, from: number, to: number): TextPatch[] {
  const seq = listNode(source, list);
  const before = to > from ? to + 1 : to;
  return isFlow(seq) ? moveFlowItem(source, seq, from, before) : moveBlockItem(source, seq, from, before);
}

function listNode(source: Source, pointer: Pointer): YAMLSeq {
  const { node, shared } = locate(source, pointer);
  if (shared || isAlias(node)) throw new EditRefused("This list is used through an alias.", pointer);
  if (!isSeq(node)) throw new EditRefused("There is no list here.", pointer);
  return node;
}
