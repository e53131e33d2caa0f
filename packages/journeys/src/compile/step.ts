import type { Step, Workflow } from "../document/model.ts";
import { foreignStep } from "./foreign-step.ts";
import { describeOperation } from "../openapi/describe-operation.ts";
import type { Operation } from "../openapi/operation.ts";
import { compileActions, mergeActions } from "./actions.ts";
import type { ActionContext, PlacedAction } from "./actions.ts";
import { compileBody } from "./body.ts";
import type { Build } from "./build.ts";
import { checkLiterals, compileCredentials } from "./credentials.ts";
import { compileCondition, compileCriteria } from "./criteria.ts";
import { compileParameters, mergeParameters } from "./parameters.ts";
import type { ParameterTarget, PlacedParameter } from "./parameters.ts";
import type { ProgramPoll, ProgramStep, StepTarget } from "../program/program.ts";
import { secretOutputsOf } from "./secret-outputs.ts";
import { findTarget } from "./target.ts";
import type { FoundTarget } from "./target.ts";
import { outputsAt, report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/** A compiled step and the positions of its parts: pairs of a path in the step and a path in the document. */
export interface CompiledStep {
  step: ProgramStep;
  places: [Path, Path][];
}

export interface StepContext extends ActionContext {
  workflow: Workflow;
  workflowPath: Path;
  inputs: ReadonlySet<string>;
}

/** Compiles one step; undefined if it is unknown what it calls. */
export function compileStep(
  build: Build,
  unit: Unit,
  options: { step: Step; path: Path; context: StepContext },
): CompiledStep | undefined {
  const { step, path, context } = options;
  const found = findTarget(unit, path, step);
  const operation = found?.kind === "operation" ? describe(build, unit, path, found) : undefined;
  if (found === undefined || (found.kind === "operation" && operation === undefined)) return undefined;
  const target: ParameterTarget =
    operation === undefined
      ? { kind: found.kind === "workflow" ? "workflow" : "external" }
      : { kind: "operation", operation };
  const parameters = stepParameters(unit, step, path, { context, target });
  if (operation !== undefined) checkPathParameters(unit, path, operation, parameters);
  const success = actionsOf(unit, step, { path, context, kind: "successActions" });
  const failure = actionsOf(unit, step, { path, context, kind: "failureActions" });
  const poll = compilePoll(step);
  checkLiterals(unit, operation, parameters);
  const credentials =
    operation === undefined
      ? []
      : compileCredentials(unit, { path, operation, parameters, inputs: context.inputs });
  const compiled: ProgramStep = {
    id: step.stepId,
    target: programTarget(found, operation, context),
    parameters: parameters.map(({ parameter }) => parameter),
    credentials,
    ...(step.requestBody === undefined
      ? {}
      : { body: compileBody(unit, [...path, "requestBody"], step.requestBody, operation) }),
    criteria: compileCriteria(step.successCriteria),
    onSuccess: success.map(({ action }) => action),
    onFailure: failure.map(({ action }) => action),
    outputs: outputsAt(unit, [...path, "outputs"], step.outputs ?? {}),
    ...secretOutputsOf(step["x-journey"]?.secretOutputs),
    ...(step.timeout === undefined ? {} : { timeoutMs: step.timeout }),
    dependsOn: (step.dependsOn ?? []).map((id) => foreignStep(unit, id)?.key ?? id),
    ...(poll === undefined ? {} : { poll }),
  };
  return { step: compiled, places: placesOf(compiled, path, { parameters, success, failure }) };
}

function describe(
  build: Build,
  unit: Unit,
  path: Path,
  found: Extract<FoundTarget, { kind: "operation" }>,
): Operation | undefined {
  const name = `${unit.prefix}${found.source.name}`;
  const key = operationKey(name, found.found);
  const known = Object.hasOwn(build.operations, key) ? build.operations[key] : undefined;
  if (known !== undefined) return known;
  try {
    const server = build.environment?.servers?.[name];
    const operation = describeOperation({ ...found.source, name }, found.found, {
      table: build.table,
      server: { ...server, environment: build.environment?.name },
    });
    build.operations[key] = operation;
    return operation;
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    report(unit, path, {
      code: "unresolvable-reference",
      message: `In "${found.source.name}": ${error.message}.`,
    });
    return undefined;
  }
}

function operationKey(source: string, found: { method: string; path: string }): string {
  return `${source} ${found.method} ${found.path}`;
}

function programTarget(
  found: FoundTarget,
  operation: Operation | undefined,
  context: StepContext,
): StepTarget {
  if (operation !== undefined)
    return { kind: "operation", operation: operationKey(operation.source, operation) };
  if (found.kind === "workflow") {
    return { kind: "workflow", workflow: context.requireWorkflow(found.unit, found.workflowId) };
  }
  if (found.kind === "external") return found;
  throw new Error("an operation that was not described");
}

function stepParameters(
  unit: Unit,
  step: Step,
  path: Path,
  options: { context: StepContext; target: ParameterTarget },
): PlacedParameter[] {
  const { context, target } = options;
  const own = compileParameters(unit, step.parameters, { path: [...path, "parameters"], target });
  const inherited = compileParameters(unit, context.workflow.parameters, {
    path: [...context.workflowPath, "parameters"],
    target,
  });
  return mergeParameters(inherited, own);
}

/** Every `{name}` of a path needs a parameter. A name that differs only in case or underscores matches too. */
function checkPathParameters(
  unit: Unit,
  path: Path,
  operation: Operation,
  parameters: PlacedParameter[],
): void {
  const names = [...operation.path.matchAll(/\{([^{}]+)\}/gu)].map((match) => match[1] ?? "");
  const inPath = parameters.filter(({ parameter }) => parameter.in === "path");
  for (const name of names) {
    if (inPath.some(({ parameter }) => parameter.name === name)) continue;
    const alike = inPath.find(
      ({ parameter }) => !names.includes(parameter.name) && bareName(parameter.name) === bareName(name),
    );
    if (alike === undefined) {
      report(unit, path, {
        code: "missing-path-parameter",
        message: `${operation.method} ${operation.path} needs the path parameter "${name}".`,
      });
      continue;
    }
    report(unit, alike.path, {
      severity: "warning",
      code: "path-parameter-name",
      message: `"${alike.parameter.name}" is named "${name}" in ${operation.path}.`,
    });
    const rule = operation.parameters[`path:${name}`] ?? alike.parameter.rule;
    alike.parameter = { ...alike.parameter, name, rule };
  }
}

function bareName(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

function actionsOf(
  unit: Unit,
  step: Step,
  options: { path: Path; context: StepContext; kind: "successActions" | "failureActions" },
): PlacedAction[] {
  const { path, context, kind } = options;
  const { workflow, workflowPath } = context;
  const key = kind === "successActions" ? "onSuccess" : "onFailure";
  const own = compileActions(unit, step[key], { path: [...path, key], kind, context });
  const inherited = compileActions(unit, workflow[kind], { path: [...workflowPath, kind], kind, context });
  return mergeActions(own, inherited);
}

function compilePoll(step: Step): ProgramPoll | undefined {
  const poll = step["x-journey"]?.poll;
  if (poll === undefined) return undefined;
  const until = compileCondition(poll.until);
  const failWhen = poll.failWhen === undefined ? undefined : compileCondition(poll.failWhen);
  if (until === undefined) return undefined;
  return { until, ...(failWhen === undefined ? {} : { failWhen }), everyMs: poll.everyMs, maxMs: poll.maxMs };
}

function placesOf(
  step: ProgramStep,
  path: Path,
  parts: { parameters: PlacedParameter[]; success: PlacedAction[]; failure: PlacedAction[] },
): [Path, Path][] {
  const places: [Path, Path][] = [[[], path]];
  for (const index of step.criteria.keys())
    places.push([
      ["criteria", index],
      [...path, "successCriteria", index],
    ]);
  for (const [index, { path: from }] of parts.parameters.entries())
    places.push([["parameters", index], from]);
  for (const [index, { path: from }] of parts.success.entries()) places.push([["onSuccess", index], from]);
  for (const [index, { path: from }] of parts.failure.entries()) places.push([["onFailure", index], from]);
  for (const name of Object.keys(step.outputs))
    places.push([
      ["outputs", name],
      [...path, "outputs", name],
    ]);
  if (step.body !== undefined) places.push([["body"], [...path, "requestBody"]]);
  if (step.poll !== undefined) places.push([["poll"], [...path, "x-journey", "poll"]]);
  return places;
}
