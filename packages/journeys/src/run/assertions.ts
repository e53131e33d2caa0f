import type { Criterion } from "../criteria/ast.ts";
import { evaluateCriterion } from "../criteria/evaluate-criterion.ts";
import type { AssertionResult, SourcePlace } from "../result/result.ts";
import { RunAborted, timeIsUp } from "./limits.ts";
import type { Run, WorkflowRun } from "./state.ts";
import { shownValue } from "./values.ts";

/**
 * Evaluates all criteria of a step, so that the report has every failure. `deep` names the assertions with values that are shown
 * as JSON text because of their depth. @throws RunAborted
 */
export async function evaluateAssertions(
  run: Run,
  workflow: WorkflowRun,
  criteria: readonly Criterion[],
  at: string,
): Promise<{ assertions: AssertionResult[]; deep: string[] }> {
  const results: AssertionResult[] = [];
  const deep = new Set<string>();
  for (const [index, criterion] of criteria.entries()) {
    const judged = evaluateCriterion(criterion, workflow.scope, run.evaluator);
    const verdict = judged instanceof Promise ? await inTime(run, judged) : judged;
    const about = head(run, criterion, index, at);
    const noteDeep = () => deep.add(`assertion "${about.id}"`);
    const result: AssertionResult = {
      ...about,
      status: verdict.status,
      actual: shownValue(run, verdict.actual, noteDeep) ?? null,
      expected: shownValue(run, verdict.expected, noteDeep) ?? null,
    };
    if (verdict.status !== "passed") result.explanation = run.known.redactor.clean(verdict.explanation);
    results.push(result);
  }
  return { assertions: results, deep: [...deep] };
}

/** Each evaluation has a time limit, but many of them can take longer than the run's. */
async function inTime<T>(run: Pick<Run, "budget" | "deps" | "options">, work: Promise<T>): Promise<T> {
  const value = await work;
  if (run.budget.phase === "main" && run.options.signal?.aborted === true)
    throw new RunAborted("cancelled", "The run was cancelled.");
  if (run.deps.clock.monotonic() >= run.budget.deadline) throw timeIsUp(run.budget);
  return value;
}

/** The criteria of a step whose request got no response. */
export function unevaluated(
  run: Pick<Run, "known" | "prepared">,
  criteria: readonly Criterion[],
  at: string,
): AssertionResult[] {
  return criteria.map((criterion, index) => ({ ...head(run, criterion, index, at), status: "notRun" }));
}

function head(
  run: Pick<Run, "known" | "prepared">,
  criterion: Criterion,
  index: number,
  at: string,
): { id: string; type: AssertionResult["type"]; condition: string; source: SourcePlace } {
  return {
    id: criterion.id ?? String(index + 1),
    type: criterion.type,
    condition: run.known.redactor.clean(criterion.text),
    source: run.prepared.placeOfCriterion(at, index),
  };
}

/** Whether all criteria of an action hold; an action without any always applies. @throws RunAborted */
export async function allHold(
  run: Pick<Run, "budget" | "deps" | "evaluator" | "options">,
  workflow: WorkflowRun,
  criteria: readonly Criterion[],
): Promise<boolean> {
  for (const criterion of criteria) {
    const judged = evaluateCriterion(criterion, workflow.scope, run.evaluator);
    const { status } = judged instanceof Promise ? await inTime(run, judged) : judged;
    if (status !== "passed") return false;
  }
  return true;
}
