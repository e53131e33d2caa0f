import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { readBlob } from "../db/blobs.ts";
import type { DocumentVersion } from "@waymark/shared/journeys/schema.ts";

const VersionRow = z.object({
  version: z.number(),
  blob_hash: z.instanceof(Buffer),
  size: z.number(),
  parent_version: z.number().nullable(),
  changeset_id: z.string(),
  message: z.string().nullable(),
  origin: z.enum(["console", "cli", "api"]),
  source_commit: z.string().nullable(),
  source_branch: z.string().nullable(),
  source_url: z.string().nullable(),
  error_count: z.number(),
  warning_count: z.number(),
  created_by_key_id: z.string(),
  created_at: z.string(),
});

const SELECT_VERSION = sql.fragment`
  SELECT v.version, v.blob_hash, b.size, v.parent_version, v.changeset_id, v.message, v.origin, v.source_commit,
         v.source_branch, v.source_url, v.error_count, v.warning_count, v.created_by_key_id, v.created_at
  FROM journey_document_versions v
  JOIN blobs b ON b.organization_id = v.organization_id AND b.hash = v.blob_hash`;

/** Lists a document's versions, newest first: up to `limit + 1`. */
export async function listVersions(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; documentId: string; limit: number; before: number | null },
): Promise<DocumentVersion[]> {
  const rows = await tx.any(sql.type(VersionRow)`
    ${SELECT_VERSION}
    WHERE v.organization_id = ${options.organizationId} AND v.document_id = ${options.documentId}
      AND (${options.before}::int IS NULL OR v.version < ${options.before}::int)
    ORDER BY v.version DESC
    LIMIT ${options.limit + 1}`);
  return rows.map(toVersion);
}

/** A version and its bytes. `readText` is for the caller that needs them. */
export async function findVersion(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; documentId: string; version: number },
): Promise<{ version: DocumentVersion; readText: () => Promise<Buffer> } | null> {
  const { organizationId } = options;
  const row = await tx.maybeOne(sql.type(VersionRow)`
    ${SELECT_VERSION}
    WHERE v.organization_id = ${organizationId} AND v.document_id = ${options.documentId}
      AND v.version = ${options.version}`);
  if (row === null) return null;
  const readText = async () => {
    const text = await readBlob(tx, { organizationId, hash: row.blob_hash });
    // A foreign key ties the version to its blob.
    if (text === null) throw new Error("the text of a version is missing");
    return text;
  };
  return { version: toVersion(row), readText };
}

function toVersion(row: z.infer<typeof VersionRow>): DocumentVersion {
  const { source_commit: commit, source_branch: branch, source_url: url } = row;
  const source = {
    ...(commit === null ? {} : { commit }),
    ...(branch === null ? {} : { branch }),
    ...(url === null ? {} : { url }),
  };
  return {
    version: row.version,
    hash: row.blob_hash.toString("hex"),
    size: row.size,
    parentVersion: row.parent_version,
    changesetId: row.changeset_id,
    message: row.message,
    origin: row.origin,
    source: Object.keys(source).length === 0 ? null : source,
    errorCount: row.error_count,
    warningCount: row.warning_count,
    createdByKeyId: row.created_by_key_id,
    createdAt: row.created_at,
  };
}
