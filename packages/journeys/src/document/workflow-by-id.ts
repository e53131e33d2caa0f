import type { Workflow } from "./model.ts";

export interface NamedWorkflow {
  /** In the document. */
  index: number;
  workflow: Workflow;
  stepIds: ReadonlySet<string>;
}

const indexes = new WeakMap<readonly Workflow[], Map<string, NamedWorkflow>>();

/**
 * The workflow of this id; of several, which are reported, the first. The list is indexed once: searching it for each reference
 * takes quadratic time.
 */
export function workflowById(workflows: readonly Workflow[], id: string): NamedWorkflow | undefined {
  let index = indexes.get(workflows);
  if (index === undefined) {
    index = new Map(workflows.map(named).toReversed());
    indexes.set(workflows, index);
  }
  return index.get(id);
}

function named(workflow: Workflow, index: number): [string, NamedWorkflow] {
  const stepIds = new Set(workflow.steps.map(({ stepId }) => stepId));
  return [workflow.workflowId, { index, workflow, stepIds }];
}
