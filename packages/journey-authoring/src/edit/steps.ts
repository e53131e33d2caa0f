import { isObject, ownArray, ownString } from "@waymark/openapi/json.ts";
import type { JsonArray, JsonObject } from "@waymark/openapi/json.ts";
import type { StepPlace } from "./command.ts";
import { EditRefused } from "./refusal.ts";

/** The workflow a command means, with its place in the document. */
export interface WorkflowSteps {
  index: number;
  workflow: JsonObject;
  steps: JsonArray;
  ids: (string | undefined)[];
}

/** @throws EditRefused when the workflow isn't there or isn't named where there are several. */
export function findWorkflow(root: JsonObject, workflowId: string | undefined): WorkflowSteps {
  const workflows = ownArray(root, "workflows");
  const wanted = workflowId ?? (workflows.length > 1 ? "main" : undefined);
  const index =
    wanted === undefined ? 0 : workflows.findIndex((item) => ownString(item, "workflowId") === wanted);
  const workflow = workflows[index];
  if (!isObject(workflow)) {
    throw new EditRefused(`There is no workflow ${wanted ?? ""}; name one with workflowId.`, "/workflows");
  }
  const steps = ownArray(workflow, "steps");
  return { index, workflow, steps, ids: steps.map((step) => ownString(step, "stepId")) };
}

/** @throws EditRefused when no step or more than one has the id. */
export function findStep({ ids, index }: WorkflowSteps, stepId: string): number {
  const at = ids.indexOf(stepId);
  const pointer = `/workflows/${index}/steps`;
  if (at < 0) throw new EditRefused(`There is no step ${stepId} in this workflow.`, pointer);
  if (ids.indexOf(stepId, at + 1) > 0)
    throw new EditRefused(`Two steps have the id ${stepId}; rename one first.`, pointer);
  return at;
}

/** Index, in the list as it is, before which a step goes; the length means the end. */
export function insertionIndex(found: WorkflowSteps, { before, after }: StepPlace): number {
  if (before !== undefined && after !== undefined)
    throw new EditRefused("Say either before or after, not both.");
  if (before !== undefined) return findStep(found, before);
  return after === undefined ? found.steps.length : findStep(found, after) + 1;
}
