import type { Place } from "@waymark/journeys/checkpoint/checkpoint.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { endingOf } from "@waymark/server/journey-runs/ending/run-ending.ts";
import type { RunEnding, StoredState } from "./messages.ts";
import { nextStep } from "./next-step.ts";
import type { SentSteps } from "./sent-steps.ts";

/** Returns the ending of a task as it is stored: with the steps that were not sent before, or have changed. */
export function endingOfTask(
  result: JourneyResult,
  { inDoubtStep, sentSteps }: { inDoubtStep: string | undefined; sentSteps: SentSteps },
): RunEnding {
  return endingOf(result, {
    steps: sentSteps.changed(result.steps),
    inDoubtStep: result.error?.code === "runner-lost" ? inDoubtStep : undefined,
  });
}

/** The step that came next when the state was stored: a request of it may have been sent. */
export function stepInDoubt(artifact: Artifact, stored: StoredState | undefined): string | undefined {
  const place: Place = stored?.checkpoint.place ?? { at: "step", index: 0 };
  return nextStep(artifact, place)?.id;
}
