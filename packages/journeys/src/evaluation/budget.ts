import { EvaluationLimit } from "../expressions/engine-error.ts";

/** The time that evaluations may take together. Loading an engine and waiting for other runs is not part of it. */
export interface EvaluationBudget {
  leftMs: number;
  /** All that was given so far. */
  givenMs: number;
}

/** Adds time to a budget. An evaluation that has exceeded the budget does not shorten the added time. */
export function addTime(budget: EvaluationBudget, ms: number): void {
  budget.leftMs = Math.max(0, budget.leftMs) + ms;
  budget.givenMs += ms;
}

/** Creates the error of an evaluation for which the budget has no time left. */
export function budgetSpent({ givenMs }: EvaluationBudget): EvaluationLimit {
  return new EvaluationLimit(
    `all patterns, queries and schemas together took longer than ${givenMs.toLocaleString("en")} ms`,
  );
}
