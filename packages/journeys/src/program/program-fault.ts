import type { Program, ProgramAction, ProgramStep, ProgramWorkflow } from "./program.ts";
import { walkExpressions } from "./walk.ts";

/** The first reference between a program's parts that leads nowhere; undefined if all of them are valid. */
export function programFault(program: Program): string | undefined {
  if (!Object.hasOwn(program.workflows, program.entry)) return `there is no workflow "${program.entry}"`;
  for (const [key, operation] of Object.entries(program.operations)) {
    const missing = Object.values(operation.responses)
      .flatMap(({ content }) => Object.values(content))
      .find((schema) => schema !== null && !Object.hasOwn(program.schemas, schema));
    if (missing !== undefined) return `operation "${key}" has no schema "${missing}"`;
  }
  for (const [key, workflow] of Object.entries(program.workflows)) {
    const fault = workflowFault(program, workflow);
    if (fault !== undefined) return `in the workflow "${key}" ${fault}`;
  }
  return undefined;
}

function workflowFault(program: Program, workflow: ProgramWorkflow): string | undefined {
  const { steps, teardown, acceptance, dependsOn } = workflow;
  const byId = new Map(steps.map((step) => [step.id, step]));
  if (byId.size < steps.length) return "two steps have the same id";
  const missing = dependsOn.find((key) => !Object.hasOwn(program.workflows, key));
  if (missing !== undefined) return `there is no workflow "${missing}" to depend on`;
  const named = [
    ...teardown.map(({ step }) => step),
    ...acceptance.flatMap(({ provenBy }) => provenBy.map(({ step }) => step)),
    ...stepsReferredTo(workflow),
  ];
  const unknown = named.find((id) => !byId.has(id));
  if (unknown !== undefined) return `there is no step "${unknown}"`;
  for (const { step, criterion } of acceptance.flatMap(({ provenBy }) => provenBy)) {
    const found = byId.get(step)?.criteria.some(({ id }) => id === criterion);
    if (found !== true) return `there is no criterion "${step}#${criterion}"`;
  }
  for (const step of steps) {
    const fault = targetFault(program, step) ?? actionFault(program, step, byId);
    if (fault !== undefined) return `step "${step.id}" ${fault}`;
  }
  return undefined;
}

function stepsReferredTo(workflow: ProgramWorkflow): string[] {
  const ids: string[] = [];
  walkExpressions(workflow, (expression) => {
    if (expression.kind === "step") ids.push(expression.step);
  });
  return ids;
}

function targetFault(program: Program, { target, parameters }: ProgramStep): string | undefined {
  if (target.kind === "operation" && !Object.hasOwn(program.operations, target.operation))
    return `calls "${target.operation}", which is no operation`;
  if (target.kind === "workflow" && !Object.hasOwn(program.workflows, target.workflow))
    return `calls "${target.workflow}", which is no workflow`;
  const isRequest = target.kind !== "workflow";
  if (isRequest && parameters.some((parameter) => parameter.in === undefined))
    return "has a parameter that goes nowhere";
  return undefined;
}

function actionFault(
  program: Program,
  { onSuccess, onFailure, dependsOn }: ProgramStep,
  steps: ReadonlyMap<string, ProgramStep>,
): string | undefined {
  if (onSuccess.some(({ type }) => type === "retry")) return "is retried although it passed";
  const aims = [...onSuccess, ...onFailure];
  const aimless = aims.find((action) => action.type === "goto" && targets(action).length !== 1);
  if (aimless !== undefined) return `has an action "${aimless.name}" that goes nowhere`;
  const lost = aims.find(
    ({ workflow }) => workflow !== undefined && !Object.hasOwn(program.workflows, workflow),
  );
  if (lost !== undefined) return `has an action "${lost.name}" that goes to no workflow`;
  const own = dependsOn.filter((id) => !id.startsWith("$workflows."));
  const unknown = [...aims.flatMap(({ step }) => step ?? []), ...own].find((id) => !steps.has(id));
  return unknown === undefined ? undefined : `refers to a step "${unknown}", which is not there`;
}

function targets({ step, workflow }: ProgramAction): string[] {
  return [step, workflow].filter((target) => target !== undefined);
}
