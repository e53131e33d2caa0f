import type { CompilableDocument, Unit } from "./unit.ts";

export interface ForeignStep {
  /** `$workflows.<key of the workflow in the program>.steps.<stepId>`. */
  key: string;
  isKnown: boolean;
}

/** A step of another workflow, as `dependsOn` names it; undefined for the id of a step of the same one. */
export function foreignStep(unit: Unit, reference: string): ForeignStep | undefined {
  const local = /^\$workflows\.([\w-]+)\.steps\.([\w-]+)$/.exec(reference);
  if (local !== null)
    return found(unit.document, { prefix: unit.prefix, workflow: local[1], step: local[2] });
  const remote = /^\$sourceDescriptions\.([\w-]+)\.([\w-]+)\.steps\.([\w-]+)$/.exec(reference);
  if (remote === null) return undefined;
  const [, name = "", workflow, step] = remote;
  const source = Object.hasOwn(unit.sources, name) ? unit.sources[name] : undefined;
  const prefix = source?.type === "arazzo" ? unit.prefixOf(name) : "";
  return found(source?.type === "arazzo" ? source.document : undefined, { prefix, workflow, step });
}

/** How a program names a step that another waits for. */
export function foreignStepKey(workflow: string, stepId: string): string {
  return `$workflows.${workflow}.steps.${stepId}`;
}

function found(
  document: CompilableDocument | undefined,
  {
    prefix,
    workflow = "",
    step = "",
  }: { prefix: string; workflow: string | undefined; step: string | undefined },
): ForeignStep {
  const there = document?.model.workflows.find(({ workflowId }) => workflowId === workflow);
  return {
    key: foreignStepKey(prefix + workflow, step),
    isKnown: there?.steps.some(({ stepId }) => stepId === step) === true,
  };
}
