import { workflowById } from "../document/workflow-by-id.ts";
import { parseScopedStep } from "../rules/references.ts";
import type { Unit } from "./unit.ts";

export interface ForeignStep {
  /** `$workflows.<key of the workflow in the program>.steps.<stepId>`. */
  key: string;
  isKnown: boolean;
}

/** A step of another workflow, as `dependsOn` names it; undefined for the id of a step of the same workflow. */
export function foreignStep(unit: Unit, reference: string): ForeignStep | undefined {
  const named = parseScopedStep(reference);
  if (named === undefined) return undefined;
  const { source, workflow, step } = named;
  if (source === undefined) return { key: foreignStepKey(unit.prefix + workflow, step), isKnown: true };
  const loaded = Object.hasOwn(unit.sources, source) ? unit.sources[source] : undefined;
  const document = loaded?.type === "arazzo" ? loaded.document : undefined;
  const prefix = document === undefined ? "" : unit.prefixOf(source);
  const there = document === undefined ? undefined : workflowById(document.model.workflows, workflow);
  return {
    key: foreignStepKey(prefix + workflow, step),
    isKnown: there?.stepIds.has(step) === true,
  };
}

/** How a program names a step that another step waits for. */
export function foreignStepKey(workflow: string, stepId: string): string {
  return `$workflows.${workflow}.steps.${stepId}`;
}
