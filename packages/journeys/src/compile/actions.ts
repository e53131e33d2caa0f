import { isReusable } from "../document/actions.ts";
import type { FailureAction, Reusable, SuccessAction } from "../document/actions.ts";
import { resolveComponent } from "./components.ts";
import { compileCriteria } from "./criteria.ts";
import { compileParameters } from "./parameters.ts";
import type { ProgramAction } from "../program/program.ts";
import { workflowTarget } from "./target.ts";
import { leaveOut } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

type Action = SuccessAction | FailureAction;

/** The parts of the surrounding workflow that an action refers to. */
export interface ActionContext {
  stepIds: ReadonlySet<string>;
  /** Returns the key of a workflow, and compiles it on first use. */
  requireWorkflow: (unit: string | undefined, workflowId: string) => string;
}

export interface PlacedAction {
  action: ProgramAction;
  path: Path;
}

/** Compiles actions. Reports those that lead to an unknown workflow of another document. */
export function compileActions(
  unit: Unit,
  list: readonly (Action | Reusable)[] | undefined,
  options: { path: Path; kind: "successActions" | "failureActions"; context: ActionContext },
): PlacedAction[] {
  const result: PlacedAction[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    const path = [...options.path, index];
    const action = isReusable(item)
      ? resolveComponent(unit, [...path, "reference"], item.reference, options.kind)
      : item;
    if (action === undefined) continue;
    result.push({ action: compileAction(unit, path, action, options.context), path });
  }
  return result;
}

/** A step's actions, then those of its workflow whose name the step has not taken. */
export function mergeActions(own: PlacedAction[], inherited: PlacedAction[]): PlacedAction[] {
  const names = new Set(own.map(({ action }) => action.name));
  return [...own, ...inherited.filter(({ action }) => !names.has(action.name))];
}

function compileAction(unit: Unit, path: Path, action: Action, context: ActionContext): ProgramAction {
  const { step, workflow } = actionTarget(unit, path, action, context);
  const retry = action.type === "retry" ? action : undefined;
  return {
    name: action.name,
    type: action.type,
    ...(step === undefined ? {} : { step }),
    ...(workflow === undefined ? {} : { workflow }),
    parameters: compileParameters(unit, action.parameters, {
      path: [...path, "parameters"],
      target: { kind: "workflow" },
    }).map(({ parameter }) => parameter),
    ...(retry?.retryAfter === undefined ? {} : { retryAfterMs: Math.round(retry.retryAfter * 1000) }),
    ...(retry?.retryLimit === undefined ? {} : { retryLimit: retry.retryLimit }),
    criteria: compileCriteria(action.criteria),
  };
}

function actionTarget(
  unit: Unit,
  path: Path,
  action: Action,
  context: ActionContext,
): { step?: string; workflow?: string } {
  const { stepId, workflowId, type } = action;
  const targets = [stepId, workflowId].filter((target) => target !== undefined);
  if (targets.length > 1 || (type === "goto" && targets.length === 0)) leaveOut(unit, path);
  if (stepId !== undefined) {
    if (!context.stepIds.has(stepId)) leaveOut(unit, path);
    return { step: stepId };
  }
  if (workflowId === undefined) return {};
  const target = workflowTarget(unit, [...path, "workflowId"], workflowId);
  return target === undefined ? {} : { workflow: context.requireWorkflow(target.unit, target.workflowId) };
}
