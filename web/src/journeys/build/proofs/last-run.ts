import { createContext, useMemo } from "react";
import type { Journey } from "../../document/journey-page.tsx";
import type { CriterionStatus } from "../../run/criterion-words.ts";
import { useJourneyRun, useRunResult } from "../../run/use-journey-run.ts";

/** The newest run of the journey, and what it proved. */
export interface LastRun {
  run: NonNullable<Journey["lastRun"]>;
  /** That it ran. Undefined until it is known. */
  version: number | undefined;
  /** By the ids of acceptance criteria. Undefined until they are known: while the run is loaded, and while it runs. */
  criteria: ReadonlyMap<string, CriterionStatus> | undefined;
}

/** Null if there was no run. Undefined for workflows that runs don't begin with: their criteria are no run's. */
export const LastRunContext = createContext<LastRun | null | undefined>(undefined);

export function useLastRun({ lastRun }: Pick<Journey, "lastRun">): LastRun | null {
  const { data: run } = useJourneyRun(lastRun?.id);
  const { data: result } = useRunResult(run);
  return useMemo(() => {
    if (lastRun === null) return null;
    return {
      run: run === undefined ? lastRun : { ...lastRun, status: run.status },
      version: run?.version,
      criteria: result && new Map(result.acceptance.map(({ id, status }) => [id, status])),
    };
  }, [lastRun, run, result]);
}
