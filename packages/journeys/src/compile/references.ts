import { resolvePointer } from "@waymark/openapi/pointer.ts";
import { workflowById } from "../document/workflow-by-id.ts";
import type { Expression } from "../expressions/ast.ts";
import { openness, propertiesOf, requiredInputs } from "../document/input-schema.ts";
import type { CompiledStep } from "./step.ts";
import type { Build } from "./build.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";
import { walkExpressions } from "../program/walk.ts";

/** A workflow whose steps are compiled and ordered, and where it was written. */
export interface CheckedWorkflow {
  workflow: ProgramWorkflow;
  steps: CompiledStep[];
  /** The ids of all steps in the document, including steps that could not be compiled. */
  stepIds: ReadonlySet<string>;
  path: Path;
}

/**
 * Checks every expression of a workflow against what will exist when it is evaluated: inputs, variables, sources,
 * workflows, and outputs of steps that have run by then.
 */
export function checkReferences(unit: Unit, checked: CheckedWorkflow): void {
  const { workflow, steps, path } = checked;
  const jumps = jumpTargets(steps);
  const known = { workflow, steps: stepsById(steps), stepIds: checked.stepIds };
  for (const [index, { step, places }] of steps.entries()) {
    const isLater = (id: string) => !jumps.has(id) && (known.steps.get(id)?.index ?? -1) > index;
    for (const [inStep, at] of places) {
      // The request is built before the step has outputs.
      const first = inStep[0] ?? "target";
      const isBefore = first === "target" || first === "parameters" || first === "body";
      const part = inStep.length === 0 ? step.target : resolvePointer(step, inStep.map(String));
      check(unit, at, part, {
        ...known,
        own: step.id,
        isLater: (id) => (isBefore && id === step.id) || isLater(id),
      });
    }
  }
  for (const [name, output] of Object.entries(workflow.outputs)) {
    check(unit, [...path, "outputs", name], output, { ...known, isLater: never });
  }
  for (const [index, teardown] of workflow.teardown.entries()) {
    const at = [...path, "x-journey", "teardown", index];
    check(unit, at, teardown, { ...known, isLater: never });
  }
}

interface Known {
  workflow: ProgramWorkflow;
  /** The steps by id, with their place in the order. */
  steps: ReadonlyMap<string, CompiledStep & { index: number }>;
  stepIds: ReadonlySet<string>;
  /** Whether a step has not run by then. */
  isLater: (id: string) => boolean;
  /** The step in which the expression stands. */
  own?: string;
}

/**
 * Arazzo 1.1 requires that outputs exist. 1.0 has no such rule, and its own examples break it: then a warning says that the
 * value will be missing.
 */
function strictness(unit: Unit): "error" | "warning" {
  return unit.document.model.arazzo.startsWith("1.0.") ? "warning" : "error";
}

function check(unit: Unit, at: Path, node: unknown, known: Known): void {
  walkExpressions(node, (expression) => {
    checkCommon(unit, at, expression, known.workflow);
    if (expression.kind === "step") checkStepOutput(unit, at, expression, known);
  });
}

/** Steps that a goto or retry leads to: they may run before a step that is above them in the document. */
function jumpTargets(steps: CompiledStep[]): ReadonlySet<string> {
  const targets = steps.flatMap(({ step }) =>
    [...step.onSuccess, ...step.onFailure].flatMap((action) =>
      action.step === undefined ? [] : [action.step],
    ),
  );
  return new Set(targets);
}

function never(): boolean {
  return false;
}

function stepsById(steps: readonly CompiledStep[]): Known["steps"] {
  // If two have the same id, which is reported, the first one is used.
  return new Map(
    steps.map((compiled, index) => [compiled.step.id, { ...compiled, index }] as const).toReversed(),
  );
}

function checkStepOutput(
  unit: Unit,
  at: Path,
  expression: Extract<Expression, { kind: "step" }>,
  known: Known,
): void {
  const target = known.steps.get(expression.step);
  const text = `$steps.${expression.step}.outputs.${expression.output}`;
  if (target === undefined) {
    // A step that could not be compiled has been reported already.
    if (known.stepIds.has(expression.step)) return;
    report(unit, at, { code: "unknown-step", message: `${text}: there is no step "${expression.step}".` });
    return;
  }
  if (!isNamed(Object.keys(target.step.outputs), expression.output)) {
    const names = Object.keys(target.step.outputs).join(", ") || "none";
    report(unit, at, {
      severity: strictness(unit),
      code: "unknown-output",
      message: `${text}: step "${expression.step}" has no such output (it has ${names}).`,
    });
  }
  if (!known.isLater(expression.step)) return;
  report(unit, at, {
    severity: expression.step === known.own ? strictness(unit) : "error",
    code: "later-step",
    message: `${text}: step "${expression.step}" has not run by then. Move it up, or this one down.`,
  });
}

function checkCommon(unit: Unit, at: Path, expression: Expression, workflow: ProgramWorkflow): void {
  switch (expression.kind) {
    case "inputs": {
      const properties = propertiesOf(workflow.inputs);
      const open = openness(workflow.inputs);
      if (open === "open" || (open === "unsaid" && properties === undefined)) return;
      if (!isNamed(Object.keys(properties ?? {}), expression.name)) {
        report(unit, at, {
          // A JSON Schema allows what it does not name, unless it says otherwise.
          severity: open === "closed" ? "error" : "warning",
          code: "unknown-input",
          message: `$inputs.${expression.name}: the workflow declares no such input.`,
        });
      }
      return;
    }
    case "vars":
      if (!isNamed(Object.keys(workflow.vars), expression.name)) {
        report(unit, at, {
          code: "unknown-variable",
          message: `$vars.${expression.name}: there is no such variable in x-journey.vars.`,
        });
      }
      return;
    case "workflow":
      if (workflowById(unit.document.model.workflows, expression.workflow) === undefined) {
        report(unit, at, {
          code: "unknown-workflow",
          message: `$workflows.${expression.workflow}: there is no such workflow in this document.`,
        });
      }
      return;
    case "source":
      if (!unit.document.model.sourceDescriptions.some(({ name }) => name === expression.source)) {
        report(unit, at, {
          code: "unknown-source",
          message: `$sourceDescriptions.${expression.source}: there is no such source description.`,
        });
      }
      return;
    case "component":
      report(unit, at, {
        code: "wrong-component",
        message: "A component can only be used by a reference object.",
      });
      return;
    default:
  }
}

/** Properties of the value may follow the name, so the part before a dot may be the name. */
function isNamed(names: readonly string[], wanted: string): boolean {
  return names.some((name) => wanted === name || wanted.startsWith(`${name}.`));
}

/** Every call of a sub-workflow must give what it requires. */
export function checkCalls(unit: Unit, build: Build, checked: CheckedWorkflow): void {
  for (const { step, places } of checked.steps) {
    if (step.target.kind !== "workflow") continue;
    const called = build.workflows[step.target.workflow];
    const given = new Set(step.parameters.map(({ name }) => name));
    for (const secret of called?.secrets ?? []) given.add(secret.input);
    for (const name of requiredInputs(called?.inputs)) {
      if (given.has(name)) continue;
      report(unit, places[0]?.[1] ?? checked.path, {
        code: "missing-input",
        message: `Step "${step.id}" calls "${called?.id ?? ""}" without its required input "${name}".`,
      });
    }
  }
}

/** Within a unit, names are those of its document; in the program they have the unit's prefix. */
export function prefixNames(unit: Unit, workflow: ProgramWorkflow): void {
  if (unit.prefix === "") return;
  walkExpressions(workflow, (expression) => {
    if (expression.kind === "workflow") expression.workflow = unit.prefix + expression.workflow;
    if (expression.kind === "source") expression.source = unit.prefix + expression.source;
  });
}
