import type { ProgramAction, ProgramStep } from "./program.ts";
import { walkExpressions } from "./walk.ts";

/**
 * Orders steps so that each stands after those it depends on, otherwise as they were written. An output that a step refers to
 * is a dependency as well; where such references form a circle, or a goto leads to the step that has the output, the author's
 * order stays, and the check of references says what is missing.
 *
 * @returns the indexes in the order of execution, or the ids of a circle
 */
export function orderSteps(steps: readonly ProgramStep[]): { order: number[] } | { circle: string[] } {
  const jumps = new Set(steps.flatMap((step) => actionsOf(step).flatMap((action) => action.step ?? [])));
  const withOutputs = sorted(
    steps.map((step) => ({
      id: step.id,
      dependsOn: [...step.dependsOn, ...[...outputsUsed(step)].filter((id) => !jumps.has(id))],
    })),
  );
  return "order" in withOutputs ? withOutputs : sorted(steps);
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

function sorted(
  steps: readonly { id: string; dependsOn: readonly string[] }[],
): { order: number[] } | { circle: string[] } {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index]));
  const order: number[] = [];
  const done = new Set<number>();
  const open: number[] = [];
  const visit = (index: number): string[] | undefined => {
    if (done.has(index)) return undefined;
    if (open.includes(index))
      return [...open.slice(open.indexOf(index)), index].map((at) => steps[at]?.id ?? "");
    open.push(index);
    for (const id of steps[index]?.dependsOn ?? []) {
      const before = indexOf.get(id);
      const circle = before === undefined ? undefined : visit(before);
      if (circle !== undefined) return circle;
    }
    open.pop();
    done.add(index);
    order.push(index);
    return undefined;
  };
  for (const index of steps.keys()) {
    const circle = visit(index);
    if (circle !== undefined) return { circle };
  }
  return { order };
}
