import { isObject, ownArray, ownString } from "@waymark/openapi/json.ts";
import type { JsonArray, JsonObject } from "@waymark/openapi/json.ts";
import type { StepPlace } from "./command.ts";
import { EditRefused } from "./refusal.ts";

/** The workflow of a command, with its position in the document. */
export interface WorkflowSteps {
  index: number;
  workflow: JsonObject;
  steps: JsonArray;
  ids: (string | undefined)[];
}

/** @throws EditRefused if the workflow doesn't exist, or if there are several and none is named. */
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

/** @throws EditRefused if no step, or more than one, has the id. */
export function findStep({ ids, index }: WorkflowSteps, stepId: string): number {
  const at = ids.indexOf(stepId);
  const pointer = `/workflows/${index}/steps`;
  if (at < 0) throw new EditRefused(`There is no step ${stepId} in this workflow.`, pointer);
  if (ids.indexOf(stepId, at + 1) > 0)
    throw new EditRefused(`Two steps have the id ${stepId}; rename one first.`, pointer);
  return at;
}

/** @returns the refusal of a step whose id another one has */
export function alreadyThere({ ids, index }: WorkflowSteps, stepId: string): EditRefused {
  const message = `There is already a step ${stepId} in this workflow.`;
  return new EditRefused(message, `/workflows/${index}/steps/${ids.indexOf(stepId)}`);
}

/** The index in the current list before which a step is inserted; the length means the end. */
export function insertionIndex(found: WorkflowSteps, { before, after }: StepPlace): number {
  if (before !== undefined && after !== undefined)
    throw new EditRefused("Say either before or after, not both.", `/workflows/${found.index}/steps`);
  if (before !== undefined) return findStep(found, before);
  return after === undefined ? found.steps.length : findStep(found, after) + 1;
}
