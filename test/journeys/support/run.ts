import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { Evaluator } from "@waymark/journeys/evaluation/evaluator.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import type { RunOptions } from "@waymark/journeys/run/state.ts";
import { systemClock } from "@waymark/journeys/run/system-clock.ts";
import type { RunDependencies } from "@waymark/journeys/run/transport.ts";
import { nodeTransport } from "./node-transport.ts";

/** Runs an artifact over real HTTP. */
export async function run(
  artifact: Artifact,
  options: RunOptions & { secret?: string; deps?: Partial<RunDependencies>; evaluator?: Evaluator } = {},
): Promise<JourneyResult> {
  const { secret, deps, evaluator, ...rest } = options;
  return runJourney(
    prepareJourney(artifact, evaluator === undefined ? {} : { evaluator }),
    {
      transport: nodeTransport,
      clock: systemClock,
      resolveSecret: () => secret,
      ...deps,
    },
    rest,
  );
}

/** The status of every step, for a glance: `{ add: "passed" }`. */
export function statuses(result: JourneyResult, phase: "main" | "teardown" = "main"): Record<string, string> {
  return Object.fromEntries(
    result.steps.filter((step) => step.phase === phase).map((step) => [step.id, step.status]),
  );
}
