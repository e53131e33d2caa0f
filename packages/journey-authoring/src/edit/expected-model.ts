import { cloneJson, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { valueAt } from "@waymark/openapi/pointer.ts";
import type { EditOf, ModelCommand } from "./command.ts";
import {
  checkJson,
  withItemInserted,
  withItemMoved,
  withoutValue,
  withValue,
  withValueWrapped,
} from "./expected-values.ts";
import { EditRefused } from "./refusal.ts";
import { renameInModel } from "./rename.ts";
import { withAssertionRenamed } from "./rename-assertion.ts";
import { alreadyThere, findStep, findWorkflow, insertionIndex } from "./steps.ts";

/**
 * The document's value after a command, computed from its value only. A text patch is correct if the patched text parses to
 * exactly this.
 * @throws EditRefused if the command doesn't fit the document.
 */
export function expectedModel(root: JsonObject, command: ModelCommand): JsonObject {
  switch (command.op) {
    case "setScalar":
    case "setValue":
      return withValue(root, command);
    case "insertItem":
      return withItemInserted(root, command);
    case "moveItem":
      return withItemMoved(root, command);
    case "removeValue":
      return withoutValue(root, command);
    case "wrapValue":
      return withValueWrapped(root, command);
    case "insertStep":
      return withStepInserted(root, command);
    case "moveStep":
      return withStepMoved(root, command);
    case "removeStep":
      return withoutStep(root, command);
    case "renameAssertion":
      return withAssertionRenamed(root, command);
    default:
      return renameInModel(root, findWorkflow(root, command.workflowId), command.stepId, command.to);
  }
}

function withSteps(root: JsonObject, index: number, change: (steps: JsonValue[]) => void): JsonObject {
  const copy = cloneJson(root);
  const steps = valueAt(copy, `/workflows/${index}/steps`);
  if (!Array.isArray(steps))
    throw new EditRefused("The workflow has no list of steps.", `/workflows/${index}`);
  change(steps);
  return copy;
}

function withStepInserted(root: JsonObject, command: EditOf<"insertStep">): JsonObject {
  const found = findWorkflow(root, command.workflowId);
  const stepId = ownString(command.step, "stepId");
  if (stepId === undefined || stepId === "")
    throw new EditRefused("The new step needs a stepId.", `/workflows/${found.index}/steps`);
  if (found.ids.includes(stepId)) throw alreadyThere(found, stepId);
  checkJson(command.step, `/workflows/${found.index}/steps`);
  const at = insertionIndex(found, command);
  return withSteps(root, found.index, (steps) => steps.splice(at, 0, cloneJson(command.step)));
}

function withStepMoved(root: JsonObject, command: EditOf<"moveStep">): JsonObject {
  const found = findWorkflow(root, command.workflowId);
  const from = findStep(found, command.stepId);
  const to = insertionIndex(found, command);
  return withSteps(root, found.index, (steps) => {
    const moved = steps.splice(from, 1);
    steps.splice(to > from ? to - 1 : to, 0, ...moved);
  });
}

function withoutStep(root: JsonObject, command: EditOf<"removeStep">): JsonObject {
  const found = findWorkflow(root, command.workflowId);
  const at = findStep(found, command.stepId);
  if (found.steps.length === 1)
    throw new EditRefused(
      "This is the workflow's only step; a workflow needs one.",
      `/workflows/${found.index}/steps/${at}`,
    );
  return withSteps(root, found.index, (steps) => steps.splice(at, 1));
}
