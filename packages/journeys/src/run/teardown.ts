import type { MainOutcome } from "../checkpoint/checkpoint.ts";
import { leaveCheckpoint } from "./take-checkpoint.ts";
import { holds } from "../criteria/evaluate-condition.ts";
import type { ProgramStep } from "../program/program.ts";
import { walkExpressions } from "../program/walk.ts";
import { encodePointer } from "@waymark/openapi/pointer.ts";
import { unevaluated } from "./assertions.ts";
import { RunAborted } from "./limits.ts";
import type { Run, WorkflowRun } from "./state.ts";
import { addResult, emptyResult, runStep } from "./step.ts";
import type { Calls } from "./step.ts";

/**
 * Runs a workflow's teardown in its order, however the workflow ended. It doesn't change the journey's status but has its own,
 * and the next entry runs even if one fails.
 *
 * @param next index of the entry to begin with
 * @param main the outcome of the main phase, for the checkpoints
 */
export async function runTeardown(
  run: Run,
  workflow: WorkflowRun,
  { calls, next, main }: { calls: Calls; next: number; main: MainOutcome },
): Promise<void> {
  const { teardown } = workflow.program;
  if (teardown.length === 0) return;
  const leaveTeardown = run.budget.enterTeardown(run.deps.clock.monotonic(), {
    isOutermost: workflow.depth === 0,
  });
  for (const [done, entry] of teardown.entries()) {
    if (done < next) continue;
    const index = workflow.program.steps.findIndex(({ id }) => id === entry.step);
    const step = workflow.program.steps[index];
    if (step === undefined) continue;
    const at = encodePointer(["workflows", workflow.key, "steps", index]);
    const reason = reasonToSkip(workflow, step, entry.when);
    if (reason === undefined)
      run.log.addTeardown(await runEntry(run, workflow, { step: alone(step), at, calls }));
    else {
      run.log.addTeardown("skipped");
      const result = { ...emptyResult(run, workflow, { step, at }), reason };
      addResult(run, { ...result, assertions: unevaluated(run, step.criteria, at) });
    }
    await leaveCheckpoint(run, workflow, { at: "teardown", next: done + 1, main });
  }
  leaveTeardown();
}

async function runEntry(
  run: Run,
  workflow: WorkflowRun,
  { step, at, calls }: { step: ProgramStep; at: string; calls: Calls },
): Promise<"passed" | "failed"> {
  try {
    const { passed } = await runStep(run, workflow, { step, at }, calls);
    return passed ? "passed" : "failed";
  } catch (error) {
    if (!(error instanceof RunAborted)) throw error;
    addResult(run, { ...emptyResult(run, workflow, { step, at }), status: "error", reason: error.message });
    return "failed";
  }
}

/** A step of the teardown may be retried, but it can't go to other steps, and doesn't wait for others. */
function alone(step: ProgramStep): ProgramStep {
  return {
    ...step,
    dependsOn: [],
    onSuccess: [],
    onFailure: step.onFailure.filter(({ type }) => type === "retry"),
  };
}

function reasonToSkip(
  workflow: WorkflowRun,
  step: ProgramStep,
  when: WorkflowRun["program"]["teardown"][number]["when"],
): string | undefined {
  if (when !== undefined && !holds(when.condition, workflow.scope))
    return `It is not needed: ${when.text} doesn't hold.`;
  if (isDone(workflow, step, when))
    return `It is not needed: step "${step.id}" has passed in the journey itself.`;
  return undefined;
}

/** If a step passed after everything that it depends on had run, its work is done, and repeating it would fail. */
function isDone(workflow: WorkflowRun, step: ProgramStep, when: unknown): boolean {
  const ended = workflow.ended.get(step.id);
  if (ended?.passed !== true) return false;
  let done = true;
  walkExpressions([step.parameters, step.body, step.target, when], (expression) => {
    if (expression.kind !== "step" || expression.step === step.id) return;
    if ((workflow.ended.get(expression.step)?.at ?? 0) > ended.at) done = false;
  });
  return done;
}
