import type { FoundJourneyRun } from "@waymark/server/journey-runs/queries.ts";
import {
  type LinkIncludes,
  SharedJourneyRun,
  SharedStep,
  SharedVerdict,
} from "@waymark/shared/journey-runs/links/schema.ts";
import { z } from "zod";

/** The members of a result that a link shows. All others, such as inputs, outputs and sources, stay behind. */
const Head = z.object({
  journey: z.object({ title: z.string() }),
  acceptance: SharedJourneyRun.shape.acceptance,
  teardown: z.object({ status: SharedJourneyRun.shape.teardown }),
});

/**
 * Returns what a link shows of a run: only members that are named here and in the schemas, so that a new member of a result is not shared
 * until somebody decides so.
 *
 * @param head the result without its steps, as JSON; null if it is not kept any more
 */
export function sharedRun(
  { run }: FoundJourneyRun,
  { head, includes }: { head: string | null; includes: LinkIncludes },
): SharedJourneyRun {
  const result = head === null ? undefined : Head.parse(JSON.parse(head));
  const { error } = run;
  return {
    title: result?.journey.title ?? run.journeyTitle ?? "A journey",
    status: SharedJourneyRun.shape.status.parse(run.status),
    error: error === null ? null : includes === "exchanges" ? error : { code: error.code },
    inDoubtStep: run.inDoubtStep,
    origin: run.origin,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    stepCount: run.stepCount,
    passedStepCount: run.passedStepCount,
    kept: run.kept,
    teardown: result?.teardown.status ?? "none",
    acceptance: result?.acceptance ?? [],
  };
}

/** Returns what a link shows of a step. */
export function sharedStep(
  { result, evidence }: { result: string; evidence: string | null },
  includes: LinkIncludes,
): SharedStep {
  const step = z.record(z.string(), z.unknown()).parse(JSON.parse(result));
  if (includes === "verdicts") return SharedVerdict.parse(step);
  return SharedStep.parse({
    ...step,
    ...(evidence !== null && { evidence: z.unknown().parse(JSON.parse(evidence)) }),
  });
}
