import { type Actor, authorizeEach } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findEnvironment, lockEnvironment } from "@waymark/server/environments/queries.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { ReadDocument } from "@waymark/server/journey-runs/builds/artifact-facts.ts";
import { type JourneyBuild, listReadDocuments } from "@waymark/server/journey-runs/builds/queries.ts";
import { builtFromOf } from "@waymark/server/journey-runs/start/built-from.ts";
import {
  deleteRelease,
  listCalledSources,
  type StoredRelease,
  upsertRelease,
} from "@waymark/server/journey-runs/releases.queries.ts";
import { buildFrom } from "@waymark/server/journey-runs/start/build-journey.ts";
import { assertBuilt } from "@waymark/server/journey-runs/start/prepare-run.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { findDocument } from "@waymark/server/journeys/queries.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { findVersion } from "@waymark/server/journeys/versions.queries.ts";
import { v7 as uuidv7 } from "uuid";

export interface ReleaseDependencies {
  db: DatabasePool;
  compiler: Compiler;
}

export interface ReleaseTarget {
  environmentId: string;
  journeyId: string;
}

/** A build that can be released, with what it was made from. */
export interface ReleaseCandidate {
  environment: Environment;
  document: JourneyDocument;
  version: number;
  documents: ReadDocument[];
  build: JourneyBuild;
}

/**
 * Builds what a release would freeze.
 *
 * @param wanted.version default: the newest
 * @throws AppError `permission_denied` or `not_found`
 */
export async function buildCandidate(
  { db, compiler }: ReleaseDependencies,
  actor: Actor,
  wanted: ReleaseTarget & { version?: number | undefined; permission: Permission },
): Promise<ReleaseCandidate> {
  const { organizationId } = actor;
  const found = await withOrganization(db, organizationId, (tx) => findReleasable(tx, actor, wanted));
  const { document, documents, environment, version } = found;
  const target = { organizationId, documentId: document.id, path: document.path, version, environment };
  return { ...found, build: await buildFrom({ db, compiler }, target, documents) };
}

async function findReleasable(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { environmentId, journeyId, permission, ...wanted }: Parameters<typeof buildCandidate>[2],
): Promise<Omit<ReleaseCandidate, "build">> {
  const { organizationId } = actor;
  const environment = await findEnvironment(tx, { organizationId, environmentId });
  const document = await findDocument(tx, { organizationId, documentId: journeyId });
  authorizeRelease(actor, { environment, journeyId, permission });
  if (environment === null) throw new AppError("not_found", "There is no environment with this id.");
  const version = wanted.version ?? document?.headVersion ?? 0;
  if (
    document === null ||
    document.archivedAt !== null ||
    document.kind === "openapi" ||
    (await findVersion(tx, { organizationId, documentId: document.id, version })) === null
  )
    throw new AppError("not_found", "There is no journey with this id that has this version.");
  const documents = await listReadDocuments(tx, { organizationId, documentId: document.id, version });
  return { environment, document, version, documents };
}

/** A release shows what a journey does, and decides what an environment runs: each permission is needed for its own resource. */
function authorizeRelease(
  actor: Actor,
  {
    environment,
    journeyId,
    permission,
  }: { environment: Environment | null; journeyId: string; permission: Permission },
): void {
  const ofEnvironment = environment === null ? {} : { environmentId: environment.id };
  const ofJourney = { workflowId: journeyId };
  authorizeEach(actor, [
    { permission, resource: ofEnvironment, within: ofJourney },
    { permission: "journeys:read", resource: ofJourney, within: ofEnvironment },
  ]);
}

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

/**
 * Freezes what a version of a journey is built to: a protected environment runs that artifact and no other.
 *
 * @throws AppError `permission_denied`, `not_found`, `journey_invalid` or `artifact_mismatch`
 */
export async function releaseJourneyAs(
  dependencies: ReleaseDependencies,
  {
    actor,
    origin,
    expectArtifact,
    ...target
  }: Change & ReleaseTarget & { version: number; expectArtifact?: string | undefined },
): Promise<ReleaseCandidate & { release: StoredRelease }> {
  const { organizationId } = actor;
  const candidate = await buildCandidate(dependencies, actor, {
    ...target,
    permission: "environments:write",
  });
  const { document, documents, environment, version } = candidate;
  const { artifactHash, programId, needs } = assertBuilt(candidate.build);
  const artifact = artifactHash.toString("hex");
  if (expectArtifact !== undefined && expectArtifact !== artifact) throw changedMeanwhile();
  const stored = await withOrganization(dependencies.db, organizationId, async (tx) => {
    const environmentRef = { organizationId, environmentId: environment.id };
    const held = await lockEnvironment(tx, environmentRef, "shared");
    if (held?.revision !== environment.revision) throw changedMeanwhile();
    const sources = await listCalledSources(tx, { organizationId, artifactHash });
    const release = await upsertRelease(tx, {
      ...environmentRef,
      journeyId: document.id,
      version,
      artifactHash,
      programId,
      needs,
      builtFrom: builtFromOf(documents, environment, sources),
      keyId: actor.apiKeyId,
    });
    if (release === null) throw changedMeanwhile();
    const details = { environmentId: environment.id, journeyId: document.id, version, artifact };
    await record(tx, { actor, origin }, "journey.released", details);
    return release;
  });
  return { ...candidate, release: stored };
}

function changedMeanwhile(): AppError {
  return new AppError(
    "artifact_mismatch",
    "Another artifact would be released than the expected one: a document or the environment has changed meanwhile. Look at the changes again.",
  );
}

/** @throws AppError `permission_denied` or `not_found` */
export async function takeReleaseBackAs(
  db: DatabasePool,
  { actor, origin, environmentId, journeyId }: Change & ReleaseTarget,
): Promise<void> {
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const environment = await findEnvironment(tx, { organizationId, environmentId });
    authorizeEach(actor, [
      {
        permission: "environments:write",
        resource: environment === null ? {} : { environmentId: environment.id },
        within: { workflowId: journeyId },
      },
    ]);
    if (environment === null) throw new AppError("not_found", "There is no environment with this id.");
    if (!(await deleteRelease(tx, { organizationId, environmentId, journeyId })))
      throw new AppError("not_found", "No version of this journey is released for this environment.");
    const details = { environmentId: environment.id, journeyId: journeyId.toLowerCase() };
    await record(tx, { actor, origin }, "journey.release_deleted", details);
  });
}

async function record(
  tx: DatabaseTransactionConnection,
  { actor: { organizationId }, origin }: Change,
  action: "journey.released" | "journey.release_deleted",
  details: Record<string, string | number>,
): Promise<void> {
  await insertAuditEvent(tx, { ...origin, id: uuidv7(), organizationId, apiKeyId: null, action, details });
}
