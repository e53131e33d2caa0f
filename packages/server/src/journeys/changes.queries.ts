import { type DatabaseTransactionConnection, type SerializableValue, sql } from "slonik";
import { z } from "zod";
import { DocumentKind } from "@waymark/shared/journeys/schema.ts";

/** Changesets of one organization are applied one after another: each takes some milliseconds. */
export async function lockDocuments(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<void> {
  const name = `journey_documents ${organizationId}`;
  await tx.query(sql.type(z.object({}))`
    SELECT FROM (SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))) AS locked`);
}

const HeadRow = z.object({
  id: z.string(),
  path: z.string(),
  kind: DocumentKind,
  head_version: z.number(),
  blob_hash: z.instanceof(Buffer),
  managed_repository: z.string().nullable(),
});

/** A document as changes find it. */
export interface DocumentHead {
  id: string;
  path: string;
  kind: z.infer<typeof DocumentKind>;
  version: number;
  hash: Buffer;
  managedRepository: string | null;
}

const SELECT_HEAD = sql.fragment`
  SELECT d.id, d.path, d.kind, d.head_version, v.blob_hash, d.managed_repository
  FROM journey_documents d
  JOIN journey_document_versions v
    ON v.organization_id = d.organization_id AND v.document_id = d.id AND v.version = d.head_version`;

/** The documents with these paths that are not archived, by path. */
export async function findHeads(
  tx: DatabaseTransactionConnection,
  { organizationId, paths }: { organizationId: string; paths: readonly string[] },
): Promise<Map<string, DocumentHead>> {
  const rows = await tx.any(sql.type(HeadRow)`
    ${SELECT_HEAD}
    WHERE d.organization_id = ${organizationId} AND d.path = ANY(${sql.array([...paths], "text")})
      AND d.archived_at IS NULL`);
  return new Map(rows.map((row) => [row.path, toHead(row)]));
}

/** The document, if it is archived. */
export async function findArchivedHead(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<DocumentHead | null> {
  const row = await tx.maybeOne(sql.type(HeadRow)`
    ${SELECT_HEAD}
    WHERE d.organization_id = ${organizationId} AND d.id = ${documentId} AND d.archived_at IS NOT NULL`);
  return row === null ? null : toHead(row);
}

function toHead(row: z.infer<typeof HeadRow>): DocumentHead {
  return {
    id: row.id,
    path: row.path,
    kind: row.kind,
    version: row.head_version,
    hash: row.blob_hash,
    managedRepository: row.managed_repository,
  };
}

/** Counts the documents that are not archived. */
export async function countDocuments(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM journey_documents
    WHERE organization_id = ${organizationId} AND archived_at IS NULL`);
}

/** The next version of a document, or the first of a new one. */
export interface NewVersion {
  documentId: string;
  path: string;
  kind: z.infer<typeof DocumentKind>;
  /** The journey key of a new document. An existing one keeps its own. */
  journeyKey: string;
  title: string | null;
  isTemplate: boolean;
  tags: string[];
  infoVersion: string | null;
  extendsVersion: string | null;
  version: number;
  parentVersion: number | null;
  /** Hexadecimal. */
  hash: string;
  errorCount: number;
  warningCount: number;
  links: { role: string; name: string; target: string; path: string | null }[];
}

/** The facts that all versions of a changeset share. */
export interface ChangesetFacts {
  organizationId: string;
  changesetId: string;
  message: string | null;
  origin: "console" | "cli" | "api";
  source: { commit?: string | undefined; branch?: string | undefined; url?: string | undefined };
  /** Null leaves the owner as it is. */
  managedRepository: string | null;
  createdByKeyId: string;
}

/** Stores versions and moves the heads to them. Their blobs must be stored, the documents locked. */
export async function insertVersions(
  tx: DatabaseTransactionConnection,
  { facts, versions }: { facts: ChangesetFacts; versions: readonly NewVersion[] },
): Promise<void> {
  if (versions.length === 0) return;
  await upsertDocuments(tx, { facts, versions });
  const { organizationId, changesetId, message, origin, source, createdByKeyId } = facts;
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_document_versions (organization_id, document_id, version, blob_hash, parent_version, changeset_id,
      message, origin, source_commit, source_branch, source_url, error_count, warning_count, created_by_key_id)
    SELECT ${organizationId}, v."documentId", v.version, decode(v.hash, 'hex'), v."parentVersion", ${changesetId}::uuid,
           ${message}::text, ${origin}, ${source.commit ?? null}::text, ${source.branch ?? null}::text,
           ${source.url ?? null}::text, v."errorCount", v."warningCount", ${createdByKeyId}::uuid
    FROM jsonb_to_recordset(${jsonRows(versions)}) AS v ("documentId" uuid, version int, hash text, "parentVersion" int,
      "errorCount" int, "warningCount" int)`);
  const links = versions.flatMap(({ documentId, version, links: own }) =>
    own.map((link) => ({ ...link, documentId, version })),
  );
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_document_links (organization_id, document_id, version, role, name, target, target_path)
    SELECT ${organizationId}, l."documentId", l.version, l.role, l.name, l.target, l.path
    FROM jsonb_to_recordset(${jsonRows(links)}) AS l ("documentId" uuid, version int, role text, name text, target text,
      path text)
    ON CONFLICT DO NOTHING`);
}

async function upsertDocuments(
  tx: DatabaseTransactionConnection,
  { facts, versions }: { facts: ChangesetFacts; versions: readonly NewVersion[] },
): Promise<void> {
  const { organizationId, managedRepository } = facts;
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_documents AS d (organization_id, id, path, kind, journey_key, title, is_template, tags,
      info_version, extends_version, head_version, managed_repository, managed_path)
    SELECT ${organizationId}, v."documentId", v.path, v.kind, v."journeyKey", v.title, v."isTemplate",
           ARRAY(SELECT jsonb_array_elements_text(v.tags)), v."infoVersion", v."extendsVersion", v.version,
           ${managedRepository}::text, CASE WHEN ${managedRepository}::text IS NOT NULL THEN v.path END
    FROM jsonb_to_recordset(${jsonRows(versions)}) AS v ("documentId" uuid, path text, kind text, "journeyKey" text,
      title text, "isTemplate" boolean, tags jsonb, "infoVersion" text, "extendsVersion" text, version int)
    ON CONFLICT (organization_id, id) DO UPDATE
    SET kind = excluded.kind, title = excluded.title, is_template = excluded.is_template, tags = excluded.tags,
        info_version = excluded.info_version, extends_version = excluded.extends_version,
        head_version = excluded.head_version, updated_at = now(), archived_at = NULL,
        managed_repository = coalesce(excluded.managed_repository, d.managed_repository),
        managed_path = coalesce(excluded.managed_path, d.managed_path)`);
}

/** Archives documents: their paths are free again, their versions stay. */
export async function archiveDocuments(
  tx: DatabaseTransactionConnection,
  { organizationId, documentIds }: { organizationId: string; documentIds: readonly string[] },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    UPDATE journey_documents SET archived_at = now(), updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ANY(${sql.array([...documentIds], "uuid")})`);
}

/** Makes a repository the owner of documents. */
export async function adoptDocuments(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; documentIds: readonly string[]; repository: string },
): Promise<void> {
  const { organizationId, documentIds, repository } = options;
  await tx.query(sql.type(z.object({}))`
    UPDATE journey_documents SET managed_repository = ${repository}, managed_path = path
    WHERE organization_id = ${organizationId} AND id = ANY(${sql.array([...documentIds], "uuid")})`);
}

function jsonRows(rows: readonly object[]) {
  // Rows are plain objects of texts, numbers and lists.
  const values: SerializableValue = JSON.parse(JSON.stringify(rows));
  return sql.jsonb(values);
}
