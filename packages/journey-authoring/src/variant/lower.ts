import { ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { childPointer, parentPointer, valueAt } from "@waymark/openapi/pointer.ts";
import type { EditOf, ModelCommand } from "../edit/command.ts";
import { expectedModel } from "../edit/expected-model.ts";
import { changedTexts } from "../edit/rename-text.ts";
import { findStep, findWorkflow, insertionIndex } from "../edit/steps.ts";

/** The changes that an overlay can express: set a value, insert an item, remove something. */
export type Change = EditOf<"setValue" | "insertItem" | "removeValue">;

/** Converts a command to these changes, in order. */
export function lowered(root: JsonObject, command: ModelCommand): Change[] {
  switch (command.op) {
    case "setValue":
    case "insertItem":
    case "removeValue":
      return [command];
    case "setScalar":
      return [{ op: "setValue", pointer: command.pointer, value: command.value }];
    case "wrapValue": {
      const value = valueAt(expectedModel(root, command), command.pointer) ?? null;
      return [{ op: "setValue", pointer: command.pointer, value }];
    }
    case "moveItem":
      return moved(root, command.pointer, command.to);
    case "renameStep":
    case "renameAssertion":
      return changedTexts(root, expectedModel(root, command), "").map(({ pointer, to }) => ({
        op: "setValue",
        pointer,
        value: to,
      }));
    default:
      return stepChange(root, command);
  }
}

function stepChange(root: JsonObject, command: EditOf<"insertStep" | "moveStep" | "removeStep">): Change[] {
  const found = findWorkflow(root, command.workflowId);
  const pointer = `/workflows/${found.index}/steps`;
  if (command.op === "insertStep") {
    return [{ op: "insertItem", pointer, at: insertionIndex(found, command), value: command.step }];
  }
  const from = findStep(found, command.stepId);
  const item = childPointer(pointer, from);
  if (command.op === "removeStep") return [{ op: "removeValue", pointer: item }];
  const before = insertionIndex(found, command);
  return moved(root, item, before > from ? before - 1 : before);
}

/** Removed and inserted again: an overlay can't move an item. */
function moved(root: JsonObject, pointer: string, to: number): Change[] {
  const list = parentPointer(pointer);
  const value = valueAt(root, pointer);
  if (value === undefined || ownValue(valueAt(root, list), String(to)) === value) return [];
  return [
    { op: "removeValue", pointer },
    { op: "insertItem", pointer: list, at: to, value },
  ];
}
