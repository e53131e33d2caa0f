import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { findEnvironment, lockEnvironment } from "../../environments/queries.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findDocument, findDocumentByPath } from "../../journeys/queries.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { findVersion } from "../../journeys/versions.queries.ts";
import { listReadDocuments } from "../builds/queries.ts";
import { driftSince, namesOf } from "./built-from.ts";
import { findRelease, type StoredRelease } from "../releases.queries.ts";

/** The choices of a caller who starts a run. */
export interface WantedRun {
  /** Either this or `path`. */
  journeyId?: string | undefined;
  path?: string | undefined;
  version?: number | undefined;
  environmentId: string;
  inputs?: Record<string, unknown> | undefined;
  rerunOf?: string | undefined;
}

/** The document, version and environment that are built and run. */
export interface RunTarget {
  document: JourneyDocument;
  environment: Environment;
  version: number;
  /** The release that a protected environment runs instead of a build; null in any other. */
  release: StoredRelease | null;
  /** True if the caller may read the journey: errors tell others nothing of what it is built from. */
  isReadable: boolean;
}

type OfRun = { workflowId?: string; environmentId?: string };

interface Options {
  organizationId: string;
  wanted: WantedRun;
  /** Throws for a caller that may not run it. What doesn't exist has no id. */
  assertAllowed: (resource: OfRun) => void;
  mayRead: (resource: OfRun) => boolean;
}

/** @throws AppError `not_found`, `environment_protected`, or what `assertAllowed` throws */
export async function findRunTarget(
  tx: DatabaseTransactionConnection,
  { organizationId, wanted, assertAllowed, mayRead }: Options,
): Promise<RunTarget> {
  const { environmentId } = wanted;
  const document = await findWanted(tx, organizationId, wanted);
  const environment = await findEnvironment(tx, { organizationId, environmentId });
  const resource = {
    ...(document === null ? {} : { workflowId: document.id }),
    ...(environment === null ? {} : { environmentId: environment.id }),
  };
  assertAllowed(resource);
  const isReadable = mayRead(resource);
  if (document === null || document.archivedAt !== null || document.kind === "openapi")
    throw new AppError("not_found", "There is no journey or overlay with this id or path.");
  if (environment === null) throw new AppError("not_found", "There is no environment with this id.");
  const release = environment.protected
    ? await findRunnable(tx, { organizationId, document, environment, wanted, isReadable })
    : null;
  const version = release?.version ?? wanted.version ?? document.headVersion;
  if ((await findVersion(tx, { organizationId, documentId: document.id, version })) === null)
    throw new AppError("not_found", `The journey has no version ${version}.`);
  return { document, environment, version, release, isReadable };
}

async function findWanted(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { journeyId, path }: WantedRun,
): Promise<JourneyDocument | null> {
  if (journeyId !== undefined) return findDocument(tx, { organizationId, documentId: journeyId });
  return path === undefined ? null : findDocumentByPath(tx, { organizationId, path });
}

/**
 * The release that a protected environment runs, if nothing that it was built from has changed.
 *
 * @throws AppError `environment_protected`
 */
async function findRunnable(
  tx: DatabaseTransactionConnection,
  of: Pick<RunTarget, "document" | "environment" | "isReadable"> & Pick<Options, "organizationId" | "wanted">,
): Promise<StoredRelease> {
  const { organizationId, document, environment, wanted, isReadable } = of;
  const release = await findRelease(tx, {
    organizationId,
    environmentId: environment.id,
    journeyId: document.id,
  });
  if (release === null) throw refused(environment, "no version of this journey was released for it.");
  const { version } = release;
  if (wanted.version !== undefined && wanted.version !== version)
    throw refused(environment, `it runs version ${version} of this journey.`);
  // A repeated run has the inputs of the environment already.
  if (wanted.rerunOf === undefined && Object.keys(wanted.inputs ?? {}).length > 0)
    throw refused(environment, "it takes no inputs but its own. Start the run without inputs.");
  const documents = await listReadDocuments(tx, { organizationId, documentId: document.id, version });
  const changed = namesOf(driftSince(release.builtFrom, documents, environment));
  if (changed.length > 0) throw refused(environment, changedSince(release, isReadable ? changed : []));
  return release;
}

const NAMED_MAX = 5;

function changedSince({ version }: StoredRelease, changed: readonly string[]): string {
  const named = changed.slice(0, NAMED_MAX).join(", ");
  const more = changed.length > NAMED_MAX ? ` and ${changed.length - NAMED_MAX} more` : "";
  const what = changed.length === 0 ? "" : `: ${named}${more}`;
  return `what version ${version} of this journey is built from has changed since its release${what}. Release it again.`;
}

function refused({ name }: Environment, why: string): AppError {
  return new AppError("environment_protected", `The environment ${name} is protected: ${why}`);
}

/**
 * Checks, in the transaction that stores a run, that the environment still runs what was found for it: both may have changed during
 * the build.
 *
 * @throws AppError `environment_protected`
 */
export async function assertStillRuns(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    target,
    artifactHash,
  }: { organizationId: string; target: RunTarget; artifactHash: Buffer },
): Promise<void> {
  const { id: environmentId } = target.environment;
  const environment = await lockEnvironment(tx, { organizationId, environmentId }, "shared");
  if (environment === null) throw new AppError("not_found", "There is no environment with this id.");
  if (!environment.protected) return;
  const release = await findRelease(tx, { organizationId, environmentId, journeyId: target.document.id });
  if (release?.artifactHash.equals(artifactHash) === true) return;
  throw refused(environment, "what this run would execute is not released for it any more.");
}
