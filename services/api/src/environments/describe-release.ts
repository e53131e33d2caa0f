import { type Actor, denial } from "@waymark/shared/api-keys/authorize.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { comparePrograms } from "@waymark/journeys/compile/compare-programs.ts";
import { readBlob } from "@waymark/server/db/blobs.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { JourneyReleasePreview } from "@waymark/shared/environments/releases/schema.ts";
import type { Environment, JourneyRelease } from "@waymark/shared/environments/schema.ts";
import type { ReadDocument } from "@waymark/server/journey-runs/builds/artifact-facts.ts";
import { listReadDocumentsOf } from "@waymark/server/journey-runs/builds/queries.ts";
import { driftSince, namesOf } from "@waymark/server/journey-runs/start/built-from.ts";
import {
  findRelease,
  listReleases,
  type StoredRelease,
} from "@waymark/server/journey-runs/releases.queries.ts";
import type { ReleaseCandidate } from "./release-journey.ts";

/** The maximum number of names in changedSince. */
const NAMED_MAX = 20;
/** Stands for all names in the answer to a caller that may not read the journey. */
const UNNAMED = "something that the journey is built from";

/** Lists the releases of an environment with what has changed since. The names are left out where the actor may not read the journey. */
export async function describeReleases(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  environment: Environment,
): Promise<JourneyRelease[]> {
  const { organizationId } = actor;
  const { id: environmentId } = environment;
  const stored = await listReleases(tx, { organizationId, environmentId });
  const releases = await describe(tx, { organizationId, environment, releases: stored });
  return releases.map((release) => {
    const { journeyId: workflowId, changedSince } = release;
    const mayRead = denial(actor, ["journeys:read"], { workflowId, environmentId }) === undefined;
    return mayRead || changedSince.length === 0 ? release : { ...release, changedSince: [UNNAMED] };
  });
}

async function describe(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    environment,
    releases,
  }: { organizationId: string; environment: Environment; releases: readonly StoredRelease[] },
): Promise<JourneyRelease[]> {
  if (releases.length === 0) return [];
  const roots = releases.map(({ journeyId: documentId, version }) => ({ documentId, version }));
  const read = await listReadDocumentsOf(tx, { organizationId, roots });
  return releases.map((release) => describeOne(release, read.get(release.journeyId) ?? [], environment));
}

/** A release as the interface shows it. */
export function describeOne(
  release: StoredRelease,
  documents: readonly ReadDocument[],
  environment: Environment,
): JourneyRelease {
  const { journeyId, version, artifactHash, programId, releasedByKeyId, releasedAt } = release;
  return {
    journeyId,
    version,
    artifact: artifactHash.toString("hex"),
    programId,
    changedSince: namesOf(driftSince(release.builtFrom, documents, environment)).slice(0, NAMED_MAX),
    releasedByKeyId,
    releasedAt,
  };
}

/** Compares a candidate with what its environment runs. */
export async function previewRelease(
  db: DatabasePool,
  organizationId: string,
  { document, documents, environment, version, build }: ReleaseCandidate,
): Promise<JourneyReleasePreview> {
  return withOrganization(db, organizationId, async (tx) => {
    const ref = { organizationId, environmentId: environment.id, journeyId: document.id };
    const stored = await findRelease(tx, ref);
    const [release = null] = await describe(tx, {
      organizationId,
      environment,
      releases: stored === null ? [] : [stored],
    });
    const before =
      stored === null ? undefined : await readProgram(tx, { organizationId, hash: stored.artifactHash });
    const after = build.isOk
      ? await readProgram(tx, { organizationId, hash: build.artifactHash })
      : undefined;
    const drift =
      stored === null ? { documents: [], servers: [] } : driftSince(stored.builtFrom, documents, environment);
    return {
      journeyId: document.id,
      version,
      artifact: build.isOk ? build.artifactHash.toString("hex") : null,
      programId: build.isOk ? build.programId : null,
      problems: build.isOk ? [] : build.problems,
      release,
      documents: drift.documents.map(({ path, released, now }) => ({ path, released, next: now })),
      servers: drift.servers,
      ...(after === undefined ? { steps: [], workflows: [] } : comparePrograms(before, after)),
    };
  });
}

async function readProgram(
  tx: DatabaseTransactionConnection,
  { organizationId, hash }: { organizationId: string; hash: Buffer },
): Promise<Artifact["program"] | undefined> {
  const bytes = await readBlob(tx, { organizationId, hash });
  if (bytes === null) return undefined;
  const artifact: Artifact = JSON.parse(bytes.toString());
  return artifact.program;
}
