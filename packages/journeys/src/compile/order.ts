import { sortByDependencies } from "../rules/dependencies.ts";
import type { ProgramAction, ProgramStep } from "../program/program.ts";
import { walkExpressions } from "../program/walk.ts";

/**
 * Orders steps so that each stands after those it depends on, otherwise as they were written. An output that a step refers to
 * is a dependency as well; where such references form a circle, or a goto leads to the step that has the output, the author's
 * order stays, and the check of references says what is missing.
 *
 * @returns the indexes in the order of execution
 */
export function orderSteps(steps: readonly ProgramStep[]): number[] {
  const jumps = new Set(steps.flatMap((step) => actionsOf(step).flatMap((action) => action.step ?? [])));
  const withOutputs = sortByDependencies(
    steps.map((step) => ({
      id: step.id,
      dependsOn: [...step.dependsOn, ...[...outputsUsed(step)].filter((id) => !jumps.has(id))],
    })),
  );
  return withOutputs.cycles.length === 0 ? withOutputs.order : sortByDependencies(steps).order;
}

function actionsOf(step: ProgramStep): ProgramAction[] {
  return [...step.onSuccess, ...step.onFailure];
}

/** The other steps whose outputs a step refers to. */
function outputsUsed(step: ProgramStep): Set<string> {
  const used = new Set<string>();
  walkExpressions(step, (expression) => {
    if (expression.kind === "step" && expression.step !== step.id) used.add(expression.step);
  });
  return used;
}
