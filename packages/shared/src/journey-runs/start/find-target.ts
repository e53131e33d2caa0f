import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { findEnvironment } from "../../environments/queries.ts";
import { findRelease } from "../../environments/releases/queries.ts";
import type { Environment } from "../../environments/schema.ts";
import { AppError } from "../../errors/app-error.ts";
import { findDocument, findDocumentByPath } from "../../journeys/queries.ts";
import type { JourneyDocument } from "../../journeys/schema.ts";
import { findVersion } from "../../journeys/versions/queries.ts";

/** What a run is to be made of. */
export interface WantedRun {
  /** Either this or `path`. */
  journeyId?: string | undefined;
  path?: string | undefined;
  version?: number | undefined;
  environmentId: string;
  inputs?: Record<string, unknown> | undefined;
  rerunOf?: string | undefined;
}

/** What is built and run. */
export interface RunTarget {
  document: JourneyDocument;
  environment: Environment;
  version: number;
}

interface Options {
  organizationId: string;
  wanted: WantedRun;
  /** Throws for a caller that may not run it. What doesn't exist has no id. */
  assertAllowed: (resource: { workflowId?: string; environmentId?: string }) => void;
}

/** @throws AppError `not_found`, `environment_protected`, or what `assertAllowed` throws */
export async function findRunTarget(
  tx: DatabaseTransactionConnection,
  { organizationId, wanted, assertAllowed }: Options,
): Promise<RunTarget> {
  const { environmentId } = wanted;
  const document = await findWanted(tx, organizationId, wanted);
  const environment = await findEnvironment(tx, { organizationId, environmentId });
  assertAllowed({
    ...(document === null ? {} : { workflowId: document.id }),
    ...(environment === null ? {} : { environmentId: environment.id }),
  });
  if (document === null || document.archivedAt !== null || document.kind === "openapi")
    throw new AppError("not_found", "There is no journey or overlay with this id or path.");
  if (environment === null) throw new AppError("not_found", "There is no environment with this id.");
  const version = environment.protected
    ? await releasedVersion(tx, { organizationId, document, environment, wanted })
    : (wanted.version ?? document.headVersion);
  if ((await findVersion(tx, { organizationId, documentId: document.id, version })) === null)
    throw new AppError("not_found", `The journey has no version ${version}.`);
  return { document, environment, version };
}

async function findWanted(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { journeyId, path }: WantedRun,
): Promise<JourneyDocument | null> {
  if (journeyId !== undefined) return findDocument(tx, { organizationId, documentId: journeyId });
  return path === undefined ? null : findDocumentByPath(tx, { organizationId, path });
}

/** @throws AppError `environment_protected` */
async function releasedVersion(
  tx: DatabaseTransactionConnection,
  of: { organizationId: string; document: JourneyDocument; environment: Environment; wanted: WantedRun },
): Promise<number> {
  const { organizationId, document, environment, wanted } = of;
  const release = await findRelease(tx, {
    organizationId,
    environmentId: environment.id,
    journeyId: document.id,
  });
  const refuse = (why: string) =>
    new AppError("environment_protected", `The environment ${environment.name} is protected: ${why}`);
  if (release === null) throw refuse("no version of this journey was released for it.");
  if (wanted.version !== undefined && wanted.version !== release.version)
    throw refuse(`it runs version ${release.version} of this journey.`);
  // A repeated run has the inputs of the environment already.
  if (wanted.rerunOf === undefined && Object.keys(wanted.inputs ?? {}).length > 0)
    throw refuse("it takes no inputs but its own. Start the run without inputs.");
  return release.version;
}
