import { isWrong, type RunStep } from "./step-result.ts";

/** The first step that failed, and why. */
export interface Failure {
  /** Its `seq`, by which the page opens it. */
  seq: number;
  /** Its place among the steps of the run, from 1. */
  number: number;
  stepId: string;
  /** Undefined if the run says nothing about it. */
  why: string | undefined;
}

/** Returns what failed first; undefined if no step did, or if only the teardown did. */
export function whatFailed(steps: readonly RunStep[]): Failure | undefined {
  const index = steps.findIndex(({ result }) => result.phase === "main" && isWrong(result));
  const step = steps[index];
  if (step === undefined) return undefined;
  const { id, assertions, contract, reason } = step.result;
  const assertion = assertions.find(({ status }) => status === "failed" || status === "error");
  const contradiction = contract.find(({ status }) => status === "failed");
  const why = assertion === undefined ? (reason ?? contradiction?.message) : whyOf(assertion);
  return { seq: step.seq, number: index + 1, stepId: id, why };
}

function whyOf({ condition, explanation, status }: RunStep["result"]["assertions"][number]): string {
  return explanation ?? `${condition} ${status === "error" ? "could not be evaluated" : "is not true"}`;
}
