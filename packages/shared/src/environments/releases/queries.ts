import { type DatabaseTransactionConnection, ForeignKeyIntegrityConstraintViolationError, sql } from "slonik";
import { z } from "zod";
import type { EnvironmentRef } from "../queries.ts";
import type { JourneyRelease } from "../schema.ts";

const ReleaseRow = z.object({
  document_id: z.string(),
  version: z.number(),
  released_by_key_id: z.string(),
  released_at: z.string(),
});

const COLUMNS = sql.fragment`document_id, version, released_by_key_id, released_at`;

interface ReleaseRef extends EnvironmentRef {
  journeyId: string;
}

export async function listReleases(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId }: EnvironmentRef,
): Promise<JourneyRelease[]> {
  const rows = await tx.any(sql.type(ReleaseRow)`
    SELECT ${COLUMNS} FROM journey_releases
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId}
    ORDER BY document_id`);
  return rows.map(toRelease);
}

/** The version of a journey that a protected environment runs; null for none. */
export async function findRelease(
  tx: DatabaseTransactionConnection,
  { organizationId, environmentId, journeyId }: ReleaseRef,
): Promise<JourneyRelease | null> {
  const row = await tx.maybeOne(sql.type(ReleaseRow)`
    SELECT ${COLUMNS} FROM journey_releases
    WHERE organization_id = ${organizationId} AND environment_id = ${environmentId} AND document_id = ${journeyId}`);
  return row === null ? null : toRelease(row);
}

/** @returns null if the journey has no such version; the transaction can then only be rolled back */
export async function upsertRelease(
  tx: DatabaseTransactionConnection,
  release: ReleaseRef & { version: number; keyId: string },
): Promise<JourneyRelease | null> {
  try {
    const row = await tx.one(sql.type(ReleaseRow)`
    INSERT INTO journey_releases (organization_id, environment_id, document_id, version, released_by_key_id)
    VALUES (${release.organizationId}, ${release.environmentId}, ${release.journeyId}, ${release.version}, ${release.keyId})
    ON CONFLICT (organization_id, environment_id, document_id) DO UPDATE
    SET version = excluded.version, released_by_key_id = excluded.released_by_key_id, released_at = now()
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

function toRelease(row: z.infer<typeof ReleaseRow>): JourneyRelease {
  return {
    journeyId: row.document_id,
    version: row.version,
    releasedByKeyId: row.released_by_key_id,
    releasedAt: row.released_at,
  };
}
