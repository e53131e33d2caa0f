import type { Evidence, JourneyResult, RunError, StepResult } from "../result/result.ts";

/**
 * The result of a try: what its steps did. It is no result of a journey, has no criteria and no coverage, and never says
 * "passed", because the rest of the journey was not run.
 */
export interface TryResult {
  schema: "journey-try/1";
  runId: string;
  artifact: string;
  seed: string;
  journey: JourneyResult["journey"];
  where: JourneyResult["where"];
  /** The step that was asked for. */
  step: string;
  /**
   * `reached`: the step was run, and has a status of its own. `notReached`: the journey ended or went on elsewhere before it.
   * `aborted`: a limit or a cancellation ended the try.
   */
  status: "reached" | "notReached" | "aborted";
  /** Why the step was not reached. */
  reason?: string;
  error?: RunError;
  startedAt: string;
  ms: number;
  inputs: Record<string, unknown>;
  /** The results of all steps that were run, in order. The last one of the main phase is that of the step, if it was reached. */
  steps: StepResult[];
  /** Steps whose outputs were there already. */
  reused: string[];
  /** `kept`: it was left out. */
  teardown: { status: JourneyResult["teardown"]["status"] | "kept" };
}

/** A request that a try would send. */
export interface PlannedRequest {
  step: string;
  /** The id of the step's workflow, if it is not the outermost one. */
  workflow?: string;
  request?: Evidence["request"];
  /** The workflow that the step calls. */
  calls?: string;
  /** Why the request is not known yet. */
  reason?: string;
}

/** Returns the result of the step that was tried, or undefined if it was not run. */
export function triedStep({ step, steps }: Pick<TryResult, "step" | "steps">): StepResult | undefined {
  return steps.findLast(
    ({ id, phase, workflow }) => id === step && phase === "main" && workflow === undefined,
  );
}
