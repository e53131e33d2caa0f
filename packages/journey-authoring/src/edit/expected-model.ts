import { cloneJson, isObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { parentPointer, decodePointer, valueAt } from "@waymark/openapi/pointer.ts";
import type { EditCommand } from "./command.ts";
import { EditRefused } from "./refusal.ts";
import { renameInModel } from "./rename.ts";
import { findStep, findWorkflow, insertionIndex } from "./steps.ts";

/**
 * What the document shall say after a command, worked out on its values alone and without its text: the text patch is
 * right when the patched text parses to exactly this.
 * @throws EditRefused when the command doesn't fit the document.
 */
export function expectedModel(root: JsonObject, command: EditCommand): JsonObject {
  switch (command.op) {
    case "setScalar":
      return withScalar(root, command.pointer, command.value);
    case "insertStep":
      return withStepInserted(root, command);
    case "moveStep":
      return withStepMoved(root, command);
    case "removeStep":
      return withoutStep(root, command);
    default:
      return renameInModel(root, findWorkflow(root, command.workflowId), command.stepId, command.to);
  }
}

function withScalar(root: JsonObject, pointer: string, value: string | number | boolean | null): JsonObject {
  const key = (decodePointer(pointer) ?? []).at(-1);
  if (key === undefined) throw new EditRefused("The pointer must name a field, as in /info/title.", pointer);
  if (key === "__proto__") throw new EditRefused("The key __proto__ isn't accepted.", pointer);
  if (typeof value === "number" && !Number.isFinite(value))
    throw new EditRefused("The number must be finite.", pointer);
  if (typeof value === "string" && !value.isWellFormed())
    throw new EditRefused("The text isn't well-formed.", pointer);
  const copy = cloneJson(root);
  const parent = valueAt(copy, parentPointer(pointer));
  const before = valueAt(copy, pointer);
  if (typeof before === "object" && before !== null) {
    throw new EditRefused("There is a list or an object here; only a scalar can be set.", pointer);
  }
  if (Array.isArray(parent) && before !== undefined) parent[Number(key)] = value;
  else if (isObject(parent)) parent[key] = value;
  else throw new EditRefused("What would hold this field isn't there.", pointer);
  return copy;
}

function withSteps(root: JsonObject, index: number, change: (steps: JsonValue[]) => void): JsonObject {
  const copy = cloneJson(root);
  const steps = valueAt(copy, `/workflows/${index}/steps`);
  if (!Array.isArray(steps))
    throw new EditRefused("The workflow has no list of steps.", `/workflows/${index}`);
  change(steps);
  return copy;
}

function withStepInserted(root: JsonObject, command: Extract<EditCommand, { op: "insertStep" }>): JsonObject {
  const found = findWorkflow(root, command.workflowId);
  const stepId = ownString(command.step, "stepId");
  if (stepId === undefined || stepId === "") throw new EditRefused("The new step needs a stepId.");
  if (found.ids.includes(stepId))
    throw new EditRefused(`There is already a step ${stepId} in this workflow.`);
  const at = insertionIndex(found, command);
  return withSteps(root, found.index, (steps) => steps.splice(at, 0, cloneJson(command.step)));
}

function withStepMoved(root: JsonObject, command: Extract<EditCommand, { op: "moveStep" }>): JsonObject {
  const found = findWorkflow(root, command.workflowId);
  const from = findStep(found, command.stepId);
  const to = insertionIndex(found, command);
  return withSteps(root, found.index, (steps) => {
    const moved = steps.splice(from, 1);
    steps.splice(to > from ? to - 1 : to, 0, ...moved);
  });
}

function withoutStep(root: JsonObject, command: Extract<EditCommand, { op: "removeStep" }>): JsonObject {
  const found = findWorkflow(root, command.workflowId);
  const at = findStep(found, command.stepId);
  if (found.steps.length === 1)
    throw new EditRefused("This is the workflow's only step; a workflow needs one.");
  return withSteps(root, found.index, (steps) => steps.splice(at, 1));
}
