import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { acceptanceResults } from "@waymark/journeys/result/acceptance.ts";
import { isoTime } from "@waymark/journeys/result/iso-time.ts";
import type { JourneyResult, RunError, RunStatus, StepResult } from "@waymark/journeys/result/result.ts";
import { endingOf, type RunEnding } from "@waymark/server/journey-runs/ending/run-ending.ts";

/** Returns the ending of a run that no process carried to its end: it never began, or its processes were lost. */
export function endingWithoutProcess(
  artifact: Artifact,
  run: {
    runId: string;
    seed: string;
    strictContract: boolean;
    steps: readonly StepResult[];
    status: RunStatus;
    error: RunError;
    teardown: "none" | "failed";
  },
): RunEnding {
  const { program, provenance } = artifact;
  const { steps, status, error } = run;
  const result: JourneyResult = {
    schema: "journey-result/1",
    runId: run.runId,
    artifact: artifact.id,
    seed: run.seed,
    status,
    error,
    journey: { ...program.journey, overlays: provenance.overlays.map(({ id }) => id) },
    where: {
      runner: "cloud",
      ...(program.environment === undefined ? {} : { environment: program.environment }),
    },
    startedAt: isoTime(Date.now()),
    ms: 0,
    inputs: {},
    steps: [...steps],
    acceptance: acceptanceResults(program.workflows[program.entry]?.acceptance ?? [], steps),
    coverage: { operations: [], notInInventory: [] },
    outputs: {},
    teardown: { status: run.teardown },
    contract: { status: "none", strict: run.strictContract, failures: 0 },
  };
  // Its steps are written.
  return endingOf(result, { steps: [] });
}
