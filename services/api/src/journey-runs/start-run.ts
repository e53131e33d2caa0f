import { createHash } from "node:crypto";
import { type Actor, authorize, denial } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findRunOfRequest, lockRunRequest, type RunRequestId } from "@waymark/server/journey-runs/queries.ts";
import type { JourneyRun, StartJourneyRunRequest } from "@waymark/shared/journey-runs/schema.ts";
import { findRunTarget } from "@waymark/server/journey-runs/start/find-target.ts";
import { prepareRun, storeRun } from "@waymark/server/journey-runs/start/prepare-run.ts";
import type { JourneyRunRouteDependencies } from "./route-definitions.ts";

export interface RunRequest extends StartJourneyRunRequest {
  trigger: JourneyRun["trigger"];
  rerunOf?: string;
  idempotencyKey?: string | undefined;
}

type StartDependencies = Pick<JourneyRunRouteDependencies, "db" | "compiler" | "traceParent">;

interface StartedRun {
  runId: string;
  artifact: string;
  programId: string;
}

/**
 * Builds a journey and stores a run of it, which waits for a worker from then on.
 *
 * @throws AppError for everything that keeps it from being run
 */
export async function startRun(
  { db, compiler, traceParent }: StartDependencies,
  actor: Actor,
  request: RunRequest,
): Promise<StartedRun> {
  const { organizationId, apiKeyId: keyId } = actor;
  const assertAllowed = (resource: Parameters<typeof authorize>[2]) =>
    authorize(actor, "journeys:run", resource);
  const target = await withOrganization(db, organizationId, (tx) =>
    findRunTarget(tx, {
      organizationId,
      wanted: request,
      assertAllowed,
      mayRead: (resource) => denial(actor, ["journeys:read"], resource) === undefined,
    }),
  );
  const id = requestIdOf(request);
  const earlier = await withOrganization(db, organizationId, (tx) => findEarlier(tx, actor, id));
  if (earlier !== null) return earlier;
  const { inputs, expectProgram } = request;
  const prepared = await prepareRun({ db, compiler }, { organizationId, target, inputs, expectProgram });
  return withOrganization(db, organizationId, async (tx) => {
    if (id !== null) await lockRunRequest(tx, { organizationId, keyId, ...id });
    const meanwhile = await findEarlier(tx, actor, id);
    if (meanwhile !== null) return meanwhile;
    const { trigger, rerunOf, seed, strictContract } = request;
    const runId = await storeRun(tx, prepared, {
      organizationId,
      trigger,
      keyId,
      request: id,
      ...(rerunOf === undefined ? {} : { rerunOf }),
      ...(seed === undefined ? {} : { seed }),
      ...(strictContract === undefined ? {} : { strictContract }),
      traceParent: traceParent(),
    });
    return { runId, artifact: prepared.artifactHash.toString("hex"), programId: prepared.programId };
  });
}

function requestIdOf(request: RunRequest): RunRequestId | null {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return null;
  const asked = { ...request, idempotencyKey: undefined, trigger: undefined };
  return { idempotencyKey, hash: createHash("sha256").update(JSON.stringify(asked)).digest() };
}

/** The run that the same request has started before. @throws AppError `idempotency_key_reused` */
async function findEarlier(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId: keyId }: Actor,
  id: RunRequestId | null,
): Promise<StartedRun | null> {
  if (id === null) return null;
  const found = await findRunOfRequest(tx, { organizationId, keyId, ...id });
  if (found === null) return null;
  const { hash, ...started } = found;
  if (hash?.equals(id.hash) === true) return started;
  throw new AppError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another run. Use a new key for each run.",
  );
}
