import type { Workflow } from "../document/model.ts";
import { acceptanceOf, teardownOf } from "./acceptance.ts";
import { mark } from "./build.ts";
import type { Build } from "./build.ts";
import { propertiesOf } from "../document/input-schema.ts";
import { compileInputs } from "./inputs.ts";
import { foreignStep } from "./foreign-step.ts";
import { orderSteps } from "./order.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import { checkReferences, prefixNames } from "./references.ts";
import type { CheckedWorkflow } from "./references.ts";
import { secretOutputsOf } from "./secret-outputs.ts";
import { compileStep } from "./step.ts";
import type { CompiledStep, StepContext } from "./step.ts";
import { workflowTarget } from "./target.ts";
import { leaveOut, outputsAt, report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

export interface WorkflowContext {
  requireWorkflow: (unit: string | undefined, workflowId: string) => string;
}

/** The placeholder for a workflow until it is compiled. */
export function emptyWorkflow(id: string): ProgramWorkflow {
  return { id, secrets: [], vars: {}, dependsOn: [], steps: [], outputs: {}, teardown: [], acceptance: [] };
}

/** Compiles a workflow and registers it under its key. Sub-workflows are compiled when a step calls them. */
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
  Object.assign(program, secretOutputsOf(extension?.secretOutputs));
  program.teardown = teardownOf(workflow);
  program.acceptance = acceptanceOf(workflow);
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
  for (const [index, step] of context.workflow.steps.entries()) {
    const path = [...context.workflowPath, "steps", index];
    checkForeignSteps(unit, path, step.dependsOn ?? []);
    const result = compileStep(build, unit, { step, path, context });
    if (result !== undefined) compiled.push(result);
    else leaveOut(unit, path);
  }
  const order = orderSteps(compiled.map(({ step }) => step));
  return order.flatMap((index) => compiled[index] ?? []);
}

/** Reports unknown steps of other documents. The rules check those of this document. */
function checkForeignSteps(unit: Unit, path: Path, dependsOn: readonly string[]): void {
  for (const [index, id] of dependsOn.entries()) {
    if (foreignStep(unit, id)?.isKnown !== false) continue;
    report(unit, [...path, "dependsOn", index], {
      code: "unknown-step",
      message: `There is no step "${id}".`,
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
