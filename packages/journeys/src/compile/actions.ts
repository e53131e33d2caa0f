import { isReusable } from "../document/actions.ts";
import type { FailureAction, Reusable, SuccessAction } from "../document/actions.ts";
import { resolveComponent } from "./components.ts";
import { compileCriteria } from "./criteria.ts";
import { compileParameters } from "./parameters.ts";
import type { ProgramAction } from "./program.ts";
import { workflowTarget } from "./target.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

type Action = SuccessAction | FailureAction;

/** What an action needs to know of the workflow it stands in. */
export interface ActionContext {
  stepIds: ReadonlySet<string>;
  /** Gives the key of a workflow, compiling it when it is the first to need it. */
  requireWorkflow: (unit: string | undefined, workflowId: string) => string;
}

export interface PlacedAction {
  action: ProgramAction;
  path: Path;
}

/** Compiles actions; a goto or retry that leads nowhere is reported. */
export function compileActions(
  unit: Unit,
  list: readonly (Action | Reusable)[] | undefined,
  options: { path: Path; kind: "successActions" | "failureActions"; context: ActionContext },
): PlacedAction[] {
  const result: PlacedAction[] = [];
  const seen = new Set<string>();
  for (const [index, item] of (list ?? []).entries()) {
    const path = [...options.path, index];
    const action = isReusable(item)
      ? resolveComponent(unit, [...path, "reference"], item.reference, options.kind)
      : item;
    if (action === undefined) continue;
    if (seen.has(action.name)) {
      report(unit, path, {
        code: "duplicate-id",
        message: `Two actions are named "${action.name}": rename one.`,
      });
    }
    seen.add(action.name);
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
  for (const [index, parameter] of (action.parameters ?? []).entries()) {
    if (isReusable(parameter) || parameter.in === undefined) continue;
    report(unit, [...path, "parameters", index, "in"], {
      code: "parameter-location",
      message: `"${parameter.name}" is an input of a workflow: remove its in.`,
    });
  }
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
    criteria: compileCriteria(unit, [...path, "criteria"], action.criteria),
  };
}

function actionTarget(
  unit: Unit,
  path: Path,
  action: Action,
  context: ActionContext,
): { step?: string; workflow?: string } {
  const { stepId, workflowId, type, name } = action;
  if (stepId !== undefined && workflowId !== undefined) {
    report(unit, path, {
      code: "action-target",
      message: `The action "${name}" has a stepId and a workflowId: keep one.`,
    });
    return {};
  }
  if (type === "goto" && stepId === undefined && workflowId === undefined) {
    report(unit, path, {
      code: "action-target",
      message: `Say where "${name}" goes: a stepId or a workflowId.`,
    });
    return {};
  }
  if (stepId !== undefined) {
    if (context.stepIds.has(stepId)) return { step: stepId };
    report(unit, [...path, "stepId"], {
      code: "unknown-step",
      message: `There is no step "${stepId}" in this workflow.`,
    });
    return {};
  }
  if (workflowId === undefined) return {};
  const target = workflowTarget(unit, [...path, "workflowId"], workflowId);
  return target === undefined ? {} : { workflow: context.requireWorkflow(target.unit, target.workflowId) };
}
