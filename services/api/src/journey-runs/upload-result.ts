import { createHash } from "node:crypto";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { readBlob } from "@waymark/server/db/blobs.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { type KeyRing, requireKeyRing } from "@waymark/server/encryption/key-ring.ts";
import { findEnvironmentByName } from "@waymark/server/environments/queries.ts";
import { listSecrets } from "@waymark/server/environments/secrets/queries.ts";
import { secretsToRedact } from "@waymark/server/environments/secrets/secrets.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { endingRows } from "@waymark/server/journey-runs/ending/ending-rows.ts";
import { endingOf } from "@waymark/server/journey-runs/ending/run-ending.ts";
import { stepRows } from "@waymark/server/journey-runs/ending/step-rows.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import type { JourneyRun, JourneyRunCi } from "@waymark/shared/journey-runs/schema.ts";
import {
  findEarlierUpload,
  findUploadTarget,
  lockSecretUploads,
  reachedUploadLimit,
  type ReachedUploadLimit,
  storeUploadedRun,
  type UploadedRun,
  type UploadTarget,
} from "@waymark/server/journey-runs/uploads.queries.ts";
import { DocumentLimit } from "@waymark/server/journeys/compiler/compiler-child.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { findDocumentByPath } from "@waymark/server/journeys/queries.ts";
import { storable } from "@waymark/server/lib/storable.ts";
import { buildJourney } from "@waymark/server/journey-runs/start/build-journey.ts";
import { v7 as uuidv7 } from "uuid";

const RETRY_AFTER_SECONDS = 60;
const SEED_MAX = 200;

export interface Upload {
  result: JourneyResult;
  ci: JourneyRunCi | null;
  /** The path of the journey's document, where its artifact may have to be built. */
  path: string | null;
  trigger: JourneyRun["trigger"];
  origin: AuditOrigin;
}

export interface UploadDependencies {
  db: DatabasePool;
  compiler: Compiler;
  keyRing: KeyRing | undefined;
}

/** A result as it may be stored. */
interface CheckedResult {
  result: JourneyResult;
  /** Whether it contained a secret of its environment. */
  hasSecret: boolean;
}

/** A run that was stored now, or before by the same upload. */
export interface StoredUpload {
  isNew: boolean;
  artifact: string;
}

/**
 * Stores a result that somebody else made, as a claim: of an artifact that this server built, without contradiction to it, and
 * redacted again.
 *
 * @throws AppError for everything else
 */
export async function uploadResult(
  dependencies: UploadDependencies,
  actor: Actor,
  upload: Upload,
): Promise<StoredUpload> {
  const { db } = dependencies;
  const { organizationId } = actor;
  const { result, ci } = upload;
  const target = await findTarget(dependencies, actor, upload);
  const artifact = target.artifactHash.toString("hex");
  const requestHash = createHash("sha256")
    .update(JSON.stringify([result, ci]))
    .digest();
  const run = { organizationId, runId: result.runId };
  const isKnown = await withOrganization(db, organizationId, async (tx) => {
    if (await isSameUpload(tx, { ...run, requestHash })) return true;
    await requireUploads(tx, actor);
    return false;
  });
  if (isKnown) return { isNew: false, artifact };
  const checked = await checkResult(dependencies, { organizationId, target, result });
  return { isNew: await store(dependencies, actor, { ...upload, target, checked, requestHash }), artifact };
}

/** Stores what is left of a checked result, as a run. False if another request has stored it meanwhile. */
async function store(
  { db }: Pick<UploadDependencies, "db">,
  actor: Actor,
  upload: Upload & { target: UploadTarget; checked: CheckedResult; requestHash: Buffer },
): Promise<boolean> {
  const { organizationId } = actor;
  const { result, ci, target, requestHash } = upload;
  const { result: checked, hasSecret } = upload.checked;
  const run = { organizationId, runId: result.runId };
  const steps = stepRows(checked.steps, { storesBodies: target.storesBodies });
  const { outcome, ...end } = await endingRows(endingOf(checked, { steps }));
  const endedAt = asPast(Date.parse(result.startedAt) + result.ms);
  const uploaded: UploadedRun = {
    ...run,
    ...target,
    programId: result.artifact,
    trigger: upload.trigger,
    inputs: JSON.stringify(withoutReferences(checked.inputs)),
    seed: storable(result.seed, SEED_MAX),
    strictContract: result.contract.strict,
    ci,
    keyId: actor.apiKeyId,
    startedAt: asPast(Date.parse(result.startedAt)),
    requestHash,
  };
  return withOrganization(db, organizationId, async (tx) => {
    if (hasSecret) await lockSecretUploads(tx, organizationId);
    await requireUploads(tx, actor);
    const stored = await storeUploadedRun(tx, uploaded, { ...end, outcome: { ...outcome, endedAt } });
    // An equal upload may have arrived at the same time.
    if (!stored) await isSameUpload(tx, { ...run, requestHash });
    else if (hasSecret)
      await recordSecret(tx, { ...run, ...upload.origin, environmentId: target.environmentId });
    return stored;
  });
}

/** @throws AppError `result_conflict` */
async function isSameUpload(
  tx: DatabaseTransactionConnection,
  run: Parameters<typeof findEarlierUpload>[1],
): Promise<boolean> {
  const earlier = await findEarlierUpload(tx, run);
  if (earlier !== "other") return earlier === "same";
  throw new AppError(
    "result_conflict",
    `There is another run with the id ${run.runId}. A result is uploaded once, as the run has written it.`,
  );
}

/** Finds or makes this server's build of the result's program, for a caller that may upload results of it. */
async function findTarget(
  dependencies: UploadDependencies,
  actor: Actor,
  { result, path }: Upload,
): Promise<UploadTarget> {
  const { organizationId } = actor;
  const find = async (tx: DatabaseTransactionConnection) =>
    findUploadTarget(tx, {
      organizationId,
      // No program or environment has a name that Postgres can't store.
      programId: storable(result.artifact),
      artifactHash: hashOf(result.artifactFile),
      path,
    });
  const known = await withOrganization(dependencies.db, organizationId, find);
  if (known !== null) return authorized(actor, known);
  const reason = path === null ? WHY_UNKNOWN : await build(dependencies, actor, { result, path });
  const built = await withOrganization(dependencies.db, organizationId, find);
  if (built !== null) return authorized(actor, built);
  // The refusal is equal for every artifact that is not the organization's.
  authorize(actor, "journey-results:create", {});
  throw new AppError(
    "artifact_unknown",
    `This server has not built the program ${storable(result.artifact, 100)}. ${reason}`,
  );
}

const WHY_UNKNOWN =
  "Push the documents of the journey, and name its path and a stored environment with the same servers.";

function authorized(actor: Actor, target: UploadTarget): UploadTarget {
  const { documentId: workflowId, environmentId } = target;
  authorize(actor, "journey-results:create", { workflowId, environmentId });
  return target;
}

/** Builds the newest version of a journey for the environment that a result names. Gives the reason if that is another program. */
async function build(
  { db, compiler }: UploadDependencies,
  actor: Actor,
  { result, path }: { result: JourneyResult; path: string },
): Promise<string> {
  const { organizationId } = actor;
  const name = result.where.environment;
  const { document, environment } = await withOrganization(db, organizationId, async (tx) => ({
    document: await findDocumentByPath(tx, { organizationId, path }),
    environment:
      name === undefined ? null : await findEnvironmentByName(tx, { organizationId, name: storable(name) }),
  }));
  authorize(actor, "journey-results:create", {
    ...(document === null ? {} : { workflowId: document.id }),
    ...(environment === null ? {} : { environmentId: environment.id }),
  });
  if (document === null || document.kind === "openapi")
    return "It has no journey or overlay at that path: push the documents first.";
  if (environment === null)
    return "No environment on the server has the name in the result: run the journey with --env and the name of one.";
  const made = await buildJourney(
    { db, compiler },
    { organizationId, documentId: document.id, path, version: document.headVersion, environment },
  );
  if (!made.isOk) return "Here the journey does not compile.";
  return `It builds the program ${made.programId}: the documents, the servers of the environment or the version of the compiler differ.`;
}

/** @throws AppError `result_mismatch` */
async function checkResult(
  { db, compiler, keyRing }: UploadDependencies,
  { organizationId, target, result }: { organizationId: string; target: UploadTarget; result: JourneyResult },
): Promise<CheckedResult> {
  const { environmentId } = target;
  const { artifact, secrets } = await withOrganization(db, organizationId, async (tx) => {
    const names = (await listSecrets(tx, { organizationId, environmentId })).map(({ name }) => name);
    return {
      artifact: await readBlob(tx, { organizationId, hash: target.artifactHash }),
      secrets:
        names.length === 0
          ? []
          : await secretsToRedact(tx, requireKeyRing(keyRing), { organizationId, environmentId, names }),
    };
  });
  if (artifact === null)
    throw new AppError("artifact_unknown", `The artifact was deleted for its age. ${WHY_UNKNOWN}`);
  const [verdict] = await compiler.run("verify", {
    organizationId,
    documents: [{ artifact: artifact.toString(), result, secrets }],
    read: async () => undefined,
  });
  if (verdict === undefined) throw new Error("the compiler gave no answer");
  if (verdict instanceof DocumentLimit)
    throw new AppError("result_mismatch", `The result could not be checked: ${verdict.message}.`);
  if (verdict.ok) return verdict;
  const details = verdict.faults.map(({ path, message }) => ({
    path: storable(`result.${path}`, 200),
    message: storable(message, 300),
  }));
  const [first] = details;
  throw new AppError(
    "result_mismatch",
    `The result is not one of this program. ${first === undefined ? "" : `${first.path}: ${first.message}.`}`,
    { data: { details } },
  );
}

function hashOf(artifactFile: string | undefined): Buffer | null {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(artifactFile ?? "")?.[1];
  return hex === undefined ? null : Buffer.from(hex, "hex");
}

/** Returns the inputs without the placeholders that a result shows instead of secrets. */
function withoutReferences(inputs: Record<string, unknown>): Record<string, unknown> {
  const isReference = (value: unknown) =>
    /^\{"secret(Ref":".*"|":true)\}$/s.test(JSON.stringify(value) ?? "");
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => !isReference(value)));
}

/** A time of an uploader, who may not claim that something has not happened yet. */
function asPast(time: number): string {
  return new Date(Math.min(Date.now(), Math.max(time, Date.UTC(2000, 0, 1)))).toISOString();
}

const LIMITS: Record<ReachedUploadLimit, { of: "key" | "organization"; what: string }> = {
  uploadedPerHourMax: { of: "organization", what: "results of an organization were uploaded" },
  uploadedWithSecretPerHourMax: {
    of: "organization",
    what: "uploaded results of an organization contained a secret of their environment",
  },
  uploadedWithSecretPerHourMaxOfKey: {
    of: "key",
    what: "uploaded results of this key contained a secret of their environment: let the pipeline mask it",
  },
};

/** @throws AppError `quota_exceeded` */
async function requireUploads(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId }: Actor,
): Promise<void> {
  const name = await reachedUploadLimit(tx, { organizationId, keyId: apiKeyId });
  if (name === null) return;
  const { of, what } = LIMITS[name];
  const value = JOURNEY_RUN_LIMITS[name];
  throw new AppError(
    "quota_exceeded",
    `The limit is reached: within an hour, ${value} ${what}. Try again later.`,
    { data: { retryAfterSeconds: RETRY_AFTER_SECONDS, exceededLimit: { name, value, of } } },
  );
}

async function recordSecret(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    runId,
    environmentId,
    ...origin
  }: AuditOrigin & {
    organizationId: string;
    runId: string;
    environmentId: string;
  },
): Promise<void> {
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action: "journey_result.secret_found",
    details: { environmentId, runId },
  });
}
