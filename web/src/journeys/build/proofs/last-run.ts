import { createContext, useMemo } from "react";
import type { Journey } from "../../document/journey-page.tsx";
import type { CriterionStatus } from "../../run/criterion-words.ts";
import type { RunStep } from "../../run/step-result.ts";
import { useJourneyRun, useRunResult, useRunSteps } from "../../run/use-journey-run.ts";

/** The newest run of the journey, and what it proved. */
export interface LastRun {
  run: NonNullable<Journey["lastRun"]>;
  /** The version that it ran. Undefined until it is known. */
  version: number | undefined;
  /**
   * The outcomes by the ids of acceptance criteria. Undefined until they are known: while the run loads, and while it
   * runs.
   */
  criteria: ReadonlyMap<string, CriterionStatus> | undefined;
  /** The steps that have ended, by their ids. Undefined unless the run was started beside them. */
  steps: ReadonlyMap<string, RunStep> | undefined;
  currentStep: string | undefined;
}

/** The last run; null if there was none. Undefined for workflows that no run starts with: no run has their criteria. */
export const LastRunContext = createContext<LastRun | null | undefined>(undefined);

/** @param started the run that was started here, and the version that is edited: other versions may have other steps */
export function useLastRun(
  { lastRun }: Pick<Journey, "lastRun">,
  started: { runId: string | undefined; version: number },
): LastRun | null {
  const { data: run } = useJourneyRun(lastRun?.id);
  const { data: result } = useRunResult(run);
  const isBeside = run !== undefined && run.id === started.runId && run.version === started.version;
  const { data: steps } = useRunSteps(isBeside ? run.id : undefined);
  return useMemo(() => {
    if (lastRun === null) return null;
    return {
      run: run === undefined ? lastRun : { ...lastRun, status: run.status },
      version: run?.version,
      criteria: result && new Map(result.acceptance.map(({ id, status }) => [id, status])),
      steps: steps && new Map(steps.filter(isOfEntry).map((step) => [step.result.id, step])),
      currentStep: isBeside ? (run?.currentStep ?? undefined) : undefined,
    };
  }, [lastRun, run, result, steps, isBeside]);
}

/** True for a step of the workflow that runs start with. */
function isOfEntry({ result: { phase, workflow } }: RunStep): boolean {
  return phase === "main" && workflow === undefined;
}
