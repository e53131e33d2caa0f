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

/** Steps of a circle that are named. */
const CIRCLE_MAX = 10;

function sorted(
  steps: readonly { id: string; dependsOn: readonly string[] }[],
): { order: number[] } | { circle: string[] } {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index]));
  const order: number[] = [];
  const seen = new Map<number, "open" | "done">();
  for (const first of steps.keys()) {
    // A path and not a recursion: a chain of dependencies may be longer than the stack.
    const path = seen.has(first) ? [] : [{ index: first, next: 0 }];
    seen.set(first, seen.get(first) ?? "open");
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const id = steps[top.index]?.dependsOn[top.next++];
      const before = id === undefined ? undefined : indexOf.get(id);
      if (before !== undefined && seen.get(before) === "open") {
        const from = path.findIndex(({ index }) => index === before);
        const circle = path.slice(from).map(({ index }) => steps[index]?.id ?? "");
        return {
          circle:
            circle.length > CIRCLE_MAX
              ? [...circle.slice(0, CIRCLE_MAX), "…", id ?? ""]
              : [...circle, id ?? ""],
        };
      }
      if (before !== undefined && !seen.has(before)) {
        seen.set(before, "open");
        path.push({ index: before, next: 0 });
      } else if (id === undefined) {
        seen.set(top.index, "done");
        order.push(top.index);
        path.pop();
      }
    }
  }
  return { order };
}
