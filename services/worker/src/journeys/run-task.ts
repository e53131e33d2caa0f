import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import type { HeldRun, JourneyRunWork } from "@waymark/server/journey-runs/work/queries.ts";
import type { RunContext } from "./run-context.ts";
import type { RunTask } from "./runner/messages.ts";

const decompress = promisify(zstdDecompress);

/** The text of the artifact's file. */
export async function artifactText({ artifact }: JourneyRunWork): Promise<string> {
  return (await decompress(artifact)).toString();
}

/** Returns the task of a run's process. @throws Error where a secret or the checkpoint can't be decrypted */
export async function taskOf(
  { box, openSecrets, egress }: RunContext,
  held: { claimed: HeldRun; isCancelled: boolean },
  { work, onlyTeardown }: { work: JourneyRunWork; onlyTeardown: boolean },
): Promise<Omit<RunTask, "leaseEndsAt">> {
  const { organizationId, runId } = held.claimed;
  const artifact = await artifactText(work);
  const names = secretNames(artifact);
  const { environmentId } = work;
  const secrets =
    names.length === 0 ? {} : await openSecrets({ organizationId, environmentId, runId, names });
  const checkpoint =
    work.checkpoint === null ? undefined : await box.open({ organizationId, runId }, work.checkpoint);
  return {
    runId,
    artifact,
    inputs: JSON.parse(work.inputs),
    secrets,
    seed: work.seed,
    strictContract: work.strictContract,
    storesBodies: work.storesBodies,
    egress: { ...egress(), allowedHosts: work.allowedHosts },
    limits: {
      runMs: JOURNEY_RUN_LIMITS.runMs,
      teardownMs: JOURNEY_RUN_LIMITS.teardownMs,
      requests: JOURNEY_RUN_LIMITS.requestsMax,
      evidenceChars: JOURNEY_RUN_LIMITS.evidenceBodyCharsMax,
    },
    isCancelled: held.isCancelled,
    onlyTeardown,
    ...(checkpoint === undefined ? {} : { resume: { checkpoint, steps: work.steps.map(wholeStep) } }),
  };
}

/** Returns the names in `env:NAME` of a program that this server has built. */
function secretNames(artifact: string): string[] {
  // Most have none, and reading it takes as long as a step.
  if (!artifact.includes('"env:')) return [];
  const { program }: Pick<Artifact, "program"> = JSON.parse(artifact);
  const refs = Object.values(program.workflows).flatMap(({ secrets }) => secrets.map(({ ref }) => ref));
  return [...new Set(refs.flatMap((ref) => /^env:(.+)$/s.exec(ref)?.[1] ?? []))];
}

/** The text of a step with its evidence. */
export function wholeStep({ result, evidence }: { result: string; evidence: string | null }): string {
  return evidence === null ? result : `${result.slice(0, -1)},"evidence":${evidence}}`;
}
