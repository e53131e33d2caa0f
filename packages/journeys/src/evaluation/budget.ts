import { EvaluationLimit } from "./engine-error.ts";

/** The time that evaluations may take together. Loading an engine and waiting for other runs is not part of it. */
export interface EvaluationBudget {
  leftMs: number;
  /** All that was given so far. */
  givenMs: number;
}

/** What an evaluation took beyond the end is not taken from what is added. */
export function addTime(budget: EvaluationBudget, ms: number): void {
  budget.leftMs = Math.max(0, budget.leftMs) + ms;
  budget.givenMs += ms;
}

/** What an evaluation ends with that the budget has no more time for. */
export function budgetSpent({ givenMs }: EvaluationBudget): EvaluationLimit {
  return new EvaluationLimit(
    `all patterns, queries and schemas together took longer than ${givenMs.toLocaleString("en")} ms`,
  );
}
