import { type DatabaseTransactionConnection, ForeignKeyIntegrityConstraintViolationError, sql } from "slonik";
import { z } from "zod";
import { ArtifactNeeds } from "./builds/artifact-facts.ts";
import { BuiltFrom } from "./start/built-from.ts";

/** An artifact of a journey that a protected environment runs. */
export interface StoredRelease {
  journeyId: string;
  version: number;
  artifactHash: Buffer;
  programId: string;
  needs: ArtifactNeeds;
  builtFrom: BuiltFrom;
  releasedByKeyId: string;
  releasedAt: string;
}

const ReleaseRow = z.object({
  document_id: z.string(),
  version: z.number(),
  artifact_hash: z.instanceof(Buffer),
  program_id: z.string(),
  needs: z.string(),
  built_from: BuiltFrom,
  released_by_key_id: z.string(),
  released_at: z.string(),
});

const COLUMNS = sql.fragment`
  document_id, version, artifact_hash, program_id, needs, built_from, released_by_key_id, released_at`;

interface EnvironmentRef {
  organizationId: string;
  environmentId: string;
}

interface ReleaseRef extends EnvironmentRef {
  journeyId: string;
}

export async function listReleases(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId }: EnvironmentRef,
): Promise<StoredRelease[]> {
  const rows = await tx.any(sql.type(ReleaseRow)`
    SELECT ${COLUMNS} FROM journey_releases
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId}
    ORDER BY document_id`);
  return rows.map(toRelease);
}

/** The release of a journey for a protected environment; null for none. */
export async function findRelease(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, journeyId }: ReleaseRef,
): Promise<StoredRelease | null> {
  const row = await tx.maybeOne(sql.type(ReleaseRow)`
    SELECT ${COLUMNS} FROM journey_releases
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId} AND document_id = ${journeyId}`);
  return row === null ? null : toRelease(row);
}

/** @returns null if the journey has no such version; the transaction can then only be rolled back */
export async function upsertRelease(
  tx: DatabaseTransactionConnection,
  release: ReleaseRef & Omit<StoredRelease, "releasedByKeyId" | "releasedAt"> & { keyId: string },
): Promise<StoredRelease | null> {
  try {
    const row = await tx.one(sql.type(ReleaseRow)`
    INSERT INTO journey_releases (organization_id, environment_id, document_id, version, artifact_hash, program_id, needs,
                                  built_from, released_by_key_id)
    VALUES (${release.organizationId}, ${release.environmentId}, ${release.journeyId}, ${release.version},
            ${sql.binary(release.artifactHash)}, ${release.programId}, ${JSON.stringify(release.needs)},
            ${JSON.stringify(release.builtFrom)}::jsonb, ${release.keyId})
    ON CONFLICT (organization_id, environment_id, document_id) DO UPDATE
    SET version = excluded.version, artifact_hash = excluded.artifact_hash, program_id = excluded.program_id,
        needs = excluded.needs, built_from = excluded.built_from, released_by_key_id = excluded.released_by_key_id,
        released_at = now()
    RETURNING ${COLUMNS}`);
    return toRelease(row);
  } catch (error) {
    if (error instanceof ForeignKeyIntegrityConstraintViolationError) return null;
    throw error;
  }
}

/** @returns whether there was one */
export async function deleteRelease(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, journeyId }: ReleaseRef,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    DELETE FROM journey_releases
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId} AND document_id = ${journeyId}`);
  return rowCount > 0;
}

/** The names of the sources whose operations an artifact calls. */
export async function listCalledSources(
  tx: DatabaseTransactionConnection,
  { organizationId, artifactHash }: { organizationId: string; artifactHash: Buffer },
): Promise<string[]> {
  return [
    ...(await tx.anyFirst(sql.type(z.object({ source: z.string() }))`
      SELECT DISTINCT source FROM build_operations
      WHERE organization_id = ${organizationId} AND artifact_hash = ${sql.binary(artifactHash)}`)),
  ];
}

function toRelease(row: z.infer<typeof ReleaseRow>): StoredRelease {
  return {
    journeyId: row.document_id,
    version: row.version,
    artifactHash: row.artifact_hash,
    programId: row.program_id,
    needs: ArtifactNeeds.parse(JSON.parse(row.needs)),
    builtFrom: row.built_from,
    releasedByKeyId: row.released_by_key_id,
    releasedAt: row.released_at,
  };
}
