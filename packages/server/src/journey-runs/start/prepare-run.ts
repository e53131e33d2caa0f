import { newSeed } from "@waymark/journeys/run/random.ts";
import { v7 as uuidv7 } from "uuid";
import type { DatabasePool, DatabaseTransactionConnection } from "../../db/pool.ts";
import { listSecrets } from "../../environments/secrets/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { Compiler } from "../../journeys/compiler/compiler.ts";
import type { ArtifactNeeds } from "../builds/artifact-facts.ts";
import type { JourneyBuild } from "../builds/queries.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { insertJourneyRun, type NewJourneyRun } from "../queries.ts";
import { buildJourney } from "./build-journey.ts";
import { inputsOf } from "./check-inputs.ts";
import { assertStillRuns, type RunTarget } from "./find-target.ts";

/** Seconds until another run may be started. */
const RETRY_AFTER_SECONDS = 30;

export interface PreparedRun {
  target: RunTarget;
  artifactHash: Buffer;
  programId: string;
  needs: ArtifactNeeds;
  inputs: Record<string, unknown>;
}

/** The facts about a run that only the caller knows. */
type RunOrigin = Pick<NewJourneyRun, "organizationId" | "trigger" | "keyId"> &
  Partial<
    Pick<NewJourneyRun, "rerunOf" | "scheduleId" | "seed" | "strictContract" | "request" | "traceParent">
  >;

/**
 * Builds a journey, or takes what is released for a protected environment, and collects its inputs. Call it before a transaction: it
 * may take seconds.
 *
 * @throws AppError `journey_invalid`, `artifact_mismatch`, `input_invalid` or `validation_failed`
 */
export async function prepareRun(
  dependencies: { db: DatabasePool; compiler: Compiler },
  {
    organizationId,
    target,
    inputs,
    expectProgram,
  }: {
    organizationId: string;
    target: RunTarget;
    inputs?: Record<string, unknown> | undefined;
    expectProgram?: string | undefined;
  },
): Promise<PreparedRun> {
  const { document, environment, version, release, isReadable } = target;
  const built =
    release ??
    assertBuilt(
      await buildJourney(dependencies, {
        organizationId,
        documentId: document.id,
        path: document.path,
        version,
        environment,
      }),
      { isReadable },
    );
  const { artifactHash, programId, needs } = built;
  assertExpected(programId, expectProgram);
  const given = environment.protected ? {} : (inputs ?? {});
  return {
    target,
    artifactHash,
    programId,
    needs,
    inputs: inputsOf(needs, { environment: environment.inputs, given }),
  };
}

/**
 * Stores a run and its ticket: it waits for a worker from then on. Gives its id.
 *
 * @throws AppError `environment_protected`, `secret_missing` or `quota_exceeded`
 */
export async function storeRun(
  tx: DatabaseTransactionConnection,
  { target, artifactHash, programId, needs, inputs }: PreparedRun,
  origin: RunOrigin,
): Promise<string> {
  const { organizationId } = origin;
  const { document, environment, version } = target;
  await assertStillRuns(tx, { organizationId, target, artifactHash });
  await assertSecrets(tx, { organizationId, environmentId: environment.id, needs });
  const runId = uuidv7();
  const exceeded = await insertJourneyRun(tx, {
    organizationId,
    runId,
    documentId: document.id,
    documentVersion: version,
    environmentId: environment.id,
    environmentRevision: environment.revision,
    artifactHash,
    programId,
    trigger: origin.trigger,
    rerunOf: origin.rerunOf ?? null,
    scheduleId: origin.scheduleId ?? null,
    inputs,
    seed: origin.seed ?? newSeed(),
    strictContract: origin.strictContract ?? false,
    keyId: origin.keyId,
    request: origin.request ?? null,
    traceParent: origin.traceParent,
  });
  if (exceeded !== null) throw quotaExceeded(exceeded);
  return runId;
}

/** @throws AppError `journey_invalid`, with the problems for a caller that may read the journey */
export function assertBuilt(
  build: JourneyBuild,
  { isReadable = true } = {},
): Extract<JourneyBuild, { isOk: true }> {
  if (build.isOk) return build;
  if (!isReadable)
    throw new AppError(
      "journey_invalid",
      "The journey does not compile. The problems need journeys:read of this journey: ask somebody who may read it.",
    );
  const [first] = build.problems;
  const where = first === undefined ? "" : ` ${first.path} ${first.message}`;
  throw new AppError("journey_invalid", `The journey does not compile.${where}`, {
    data: { details: build.problems },
  });
}

/** @throws AppError `artifact_mismatch` */
function assertExpected(programId: string, expectProgram: string | undefined): void {
  if (expectProgram === undefined || expectProgram === programId) return;
  throw new AppError(
    "artifact_mismatch",
    `The server runs the program ${programId}, not ${expectProgram}: the documents, the environment or the version of the compiler differ. Push the documents, or run the server's.`,
  );
}

/** @throws AppError `secret_missing` */
async function assertSecrets(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    environmentId,
    needs,
  }: { organizationId: string; environmentId: string; needs: ArtifactNeeds },
): Promise<void> {
  if (needs.secretNames.length === 0) return;
  const secrets = await listSecrets(tx, { organizationId, environmentId });
  const known = new Set(secrets.map(({ name }) => name));
  const missing = needs.secretNames.filter((name) => !known.has(name));
  if (missing.length === 0) return;
  throw new AppError(
    "secret_missing",
    `The environment has no secrets of these names: ${missing.join(", ")}. Set them there, or let the journey name others.`,
  );
}

function quotaExceeded(limit: string): AppError {
  const { waitingMax, startedPerHourMax } = JOURNEY_RUN_LIMITS;
  const what =
    limit === "journeyRunsWaiting"
      ? `${waitingMax} journeys of an organization wait`
      : `${startedPerHourMax} journeys of an organization were started within an hour`;
  return new AppError("quota_exceeded", `The limit is reached: ${what}. Try again later.`, {
    data: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
