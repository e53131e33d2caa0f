import type { Criterion } from "../criteria/ast.ts";
import { evaluateCriterion } from "../criteria/evaluate-criterion.ts";
import type { AssertionResult, SourcePlace } from "../result/result.ts";
import type { Run, WorkflowRun } from "./state.ts";
import { shownValue } from "./values.ts";

/** Evaluates the criteria of a step, all of them: a person wants to see every failure, not the first. */
export function evaluateAssertions(
  run: Run,
  workflow: WorkflowRun,
  criteria: readonly Criterion[],
  at: string,
): AssertionResult[] {
  return criteria.map((criterion, index) => {
    const verdict = evaluateCriterion(criterion, workflow.scope, run.prepared.engines);
    const result: AssertionResult = {
      ...head(run, criterion, index, at),
      status: verdict.status,
      actual: shownValue(run, verdict.actual) ?? null,
      expected: shownValue(run, verdict.expected) ?? null,
    };
    if (verdict.status === "failed") result.explanation = run.redactor.clean(verdict.explanation);
    return result;
  });
}

/** The criteria of a step whose request got no response. */
export function unevaluated(run: Run, criteria: readonly Criterion[], at: string): AssertionResult[] {
  return criteria.map((criterion, index) => ({ ...head(run, criterion, index, at), status: "notRun" }));
}

function head(
  run: Run,
  criterion: Criterion,
  index: number,
  at: string,
): { id: string; type: AssertionResult["type"]; condition: string; source: SourcePlace } {
  return {
    id: criterion.id ?? String(index + 1),
    type: criterion.type,
    condition: run.redactor.clean(criterion.text),
    source: run.prepared.placeOfCriterion(at, index),
  };
}

/** Whether all criteria of an action hold; an action without any always applies. */
export function allHold(run: Run, workflow: WorkflowRun, criteria: readonly Criterion[]): boolean {
  return criteria.every(
    (criterion) => evaluateCriterion(criterion, workflow.scope, run.prepared.engines).status === "passed",
  );
}
