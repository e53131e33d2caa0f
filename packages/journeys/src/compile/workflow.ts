import type { Workflow } from "../document/model.ts";
import { hasErrors } from "../document/problem.ts";
import { acceptanceOf, teardownOf } from "./acceptance.ts";
import { mark } from "./build.ts";
import type { Build } from "./build.ts";
import { propertiesOf } from "./input-schema.ts";
import { compileInputs } from "./inputs.ts";
import { foreignStep } from "./foreign-step.ts";
import { orderSteps } from "./order.ts";
import type { ProgramWorkflow } from "./program.ts";
import { checkReferences, prefixNames } from "./references.ts";
import type { CheckedWorkflow } from "./references.ts";
import { secretOutputsOf } from "./secret-outputs.ts";
import { compileStep } from "./step.ts";
import type { CompiledStep, StepContext } from "./step.ts";
import { workflowTarget } from "./target.ts";
import { outputsAt, report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

export interface WorkflowContext {
  requireWorkflow: (unit: string | undefined, workflowId: string) => string;
}

/** What stands under a workflow's key until it is compiled. */
export function emptyWorkflow(id: string): ProgramWorkflow {
  return { id, secrets: [], vars: {}, dependsOn: [], steps: [], outputs: {}, teardown: [], acceptance: [] };
}

/** Compiles a workflow and registers it under its key. Sub-workflows are compiled as steps ask for them. */
export function compileWorkflow(
  build: Build,
  unit: Unit,
  options: { index: number; workflow: Workflow; context: WorkflowContext },
): CheckedWorkflow {
  const { workflow, context } = options;
  const path: Path = ["workflows", options.index];
  const key = unit.prefix + workflow.workflowId;
  const inputs = compileInputs(unit, path, workflow);
  const extension = workflow["x-journey"];
  const { id, ...empty } = emptyWorkflow(workflow.workflowId);
  const program: ProgramWorkflow = {
    id,
    ...(inputs === undefined ? {} : { inputs }),
    ...empty,
    secrets: secretsOf(extension?.secrets ?? {}),
    vars: extension?.vars ?? {},
  };
  build.workflows[key] = program;
  for (const [index, name] of (workflow.dependsOn ?? []).entries()) {
    const target = workflowTarget(unit, [...path, "dependsOn", index], name);
    if (target !== undefined) program.dependsOn.push(context.requireWorkflow(target.unit, target.workflowId));
  }
  const stepIds = new Set(workflow.steps.map(({ stepId }) => stepId));
  const steps = compileSteps(build, unit, {
    ...context,
    stepIds,
    workflow,
    workflowPath: path,
    inputs: new Set(Object.keys(propertiesOf(inputs) ?? {})),
  });
  program.steps = steps.map(({ step }) => step);
  program.outputs = outputsAt(unit, [...path, "outputs"], workflow.outputs ?? {});
  const declared = { names: extension?.secretOutputs, outputs: workflow.outputs ?? {} };
  Object.assign(program, secretOutputsOf(unit, path, declared));
  program.teardown = teardownOf(unit, path, workflow);
  program.acceptance = acceptanceOf(unit, path, workflow);
  const checked = { workflow: program, steps, stepIds, path };
  checkReferences(unit, checked);
  prefixNames(unit, program);
  placeMarks(build, unit, key, checked);
  return checked;
}

function secretsOf(secrets: Readonly<Record<string, { ref: string }>>): ProgramWorkflow["secrets"] {
  return Object.keys(secrets)
    .toSorted()
    .map((input) => ({ input, ref: secrets[input]?.ref ?? "" }));
}

function compileSteps(build: Build, unit: Unit, context: StepContext): CompiledStep[] {
  const compiled: CompiledStep[] = [];
  const seen = new Set<string>();
  for (const [index, step] of context.workflow.steps.entries()) {
    const path = [...context.workflowPath, "steps", index];
    if (seen.has(step.stepId)) {
      report(unit, [...path, "stepId"], {
        code: "duplicate-id",
        message: `Two steps are named "${step.stepId}": rename one.`,
      });
    }
    seen.add(step.stepId);
    checkDependencies(unit, path, step.dependsOn ?? [], context);
    const result = compileStep(build, unit, { step, path, context });
    if (result !== undefined) compiled.push(result);
    else if (!hasErrors(unit.problems)) {
      // A step is never left out in silence: a journey would pass without it.
      report(unit, path, { code: "step-target", message: `Step "${step.stepId}" can't be run.` });
    }
  }
  const ordered = orderSteps(compiled.map(({ step }) => step));
  if ("order" in ordered) return ordered.order.flatMap((index) => compiled[index] ?? []);
  report(unit, context.workflowPath, {
    code: "circular-dependency",
    message: `These steps wait for each other: ${ordered.circle.join(" → ")}.`,
  });
  return compiled;
}

function checkDependencies(unit: Unit, path: Path, dependsOn: readonly string[], context: StepContext): void {
  for (const [index, id] of dependsOn.entries()) {
    const foreign = foreignStep(unit, id);
    const isKnown = foreign === undefined ? context.stepIds.has(id) : foreign.isKnown;
    if (isKnown) continue;
    report(unit, [...path, "dependsOn", index], {
      code: "unknown-step",
      message:
        foreign === undefined ? `There is no step "${id}" in this workflow.` : `There is no step "${id}".`,
    });
  }
}

function placeMarks(build: Build, unit: Unit, key: string, checked: CheckedWorkflow): void {
  const { workflow, steps, path } = checked;
  const at: Path = ["workflows", key];
  mark(build, unit, at, path);
  for (const [index, { places }] of steps.entries()) {
    for (const [inStep, inDocument] of places)
      mark(build, unit, [...at, "steps", index, ...inStep], inDocument);
  }
  for (const name of Object.keys(workflow.outputs))
    mark(build, unit, [...at, "outputs", name], [...path, "outputs", name]);
  for (const index of workflow.acceptance.keys()) {
    mark(build, unit, [...at, "acceptance", index], [...path, "x-journey", "acceptanceCriteria", index]);
  }
  for (const index of workflow.teardown.keys()) {
    mark(build, unit, [...at, "teardown", index], [...path, "x-journey", "teardown", index]);
  }
}
