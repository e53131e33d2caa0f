import { driftOf } from "@waymark/journeys/overlay/drift.ts";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { readBlob } from "../db/blobs.ts";
import { DocumentKind, type JourneyDocument, LastRun } from "@waymark/shared/journeys/schema.ts";

const DocumentRow = z.object({
  id: z.string(),
  path: z.string(),
  kind: DocumentKind,
  journey_key: z.string(),
  title: z.string().nullable(),
  is_template: z.boolean(),
  tags: z.array(z.string()),
  info_version: z.string().nullable(),
  extends_version: z.string().nullable(),
  head_version: z.number(),
  head_hash: z.string(),
  error_count: z.number(),
  warning_count: z.number(),
  base_path: z.string().nullable(),
  base_id: z.string().nullable(),
  base_version: z.string().nullable(),
  managed_repository: z.string().nullable(),
  managed_path: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: z.string().nullable(),
  recent_statuses: z.array(LastRun.shape.status),
  last_runs: z.array(LastRun),
  proven_count: z.number(),
  criterion_count: z.number(),
});

const RECENT_RUNS = 20;

const SELECT_DOCUMENT = sql.fragment`
  SELECT d.id, d.path, d.kind, d.journey_key, d.title, d.is_template, d.tags, d.info_version, d.extends_version,
         d.head_version, encode(v.blob_hash, 'hex') AS head_hash, v.error_count, v.warning_count,
         l.target_path AS base_path, base.id AS base_id, base.info_version AS base_version,
         d.managed_repository, d.managed_path, d.created_at, d.updated_at, d.archived_at,
         runs.statuses AS recent_statuses, runs.newest AS last_runs, criteria.proven_count, criteria.criterion_count
  FROM journey_documents d
  JOIN journey_document_versions v
    ON v.organization_id = d.organization_id AND v.document_id = d.id AND v.version = d.head_version
  LEFT JOIN journey_document_links l
    ON l.organization_id = d.organization_id AND l.document_id = d.id AND l.version = d.head_version
       AND l.role = 'extends'
  LEFT JOIN journey_documents base
    ON base.organization_id = d.organization_id AND base.path = l.target_path AND base.archived_at IS NULL
  CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(r.status ORDER BY r.created_at DESC, r.id DESC), '{}') AS statuses,
           coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'status', r.status, 'environmentName', e.name,
                                                 'createdAt', r.created_at) ORDER BY r.created_at DESC, r.id DESC)
                    FILTER (WHERE r.nth = 1), '[]') AS newest
    FROM (
      SELECT recent.*,
             row_number() OVER (PARTITION BY recent.environment_id ORDER BY recent.created_at DESC, recent.id DESC) AS nth
      FROM (
        SELECT id, status, environment_id, created_at
        FROM journey_runs
        WHERE organization_id = d.organization_id AND document_id = d.id
        ORDER BY created_at DESC, id DESC
        LIMIT ${RECENT_RUNS}
      ) recent
    ) r
    JOIN environments e ON e.organization_id = d.organization_id AND e.id = r.environment_id
  ) runs
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS criterion_count, (count(*) FILTER (WHERE c.status = 'proven'))::int AS proven_count
    FROM journey_run_criteria c
    WHERE c.organization_id = d.organization_id AND c.run_id = (
      SELECT r.id FROM journey_runs r
      WHERE r.organization_id = d.organization_id AND r.document_id = d.id AND r.ended_at IS NOT NULL
      ORDER BY r.created_at DESC, r.id DESC
      LIMIT 1)
  ) criteria`;

export interface DocumentFilter {
  kind: z.infer<typeof DocumentKind> | null;
  tag: string | null;
  isTemplate: boolean | null;
  path: string | null;
  /** In the path or the title, in any case. */
  text: string | null;
  isArchived: boolean;
}

/** Lists documents, newest first: up to `limit + 1`, so that the caller sees whether there are more. */
export async function listDocuments(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; limit: number; afterId: string | null; filter: DocumentFilter },
): Promise<JourneyDocument[]> {
  const { organizationId, limit, afterId, filter } = options;
  const rows = await tx.any(sql.type(DocumentRow)`
    ${SELECT_DOCUMENT}
    WHERE d.organization_id = ${organizationId}
      AND (${afterId}::uuid IS NULL OR d.id < ${afterId}::uuid)
      AND (d.archived_at IS NOT NULL) = ${filter.isArchived}
      AND (${filter.kind}::text IS NULL OR d.kind = ${filter.kind})
      AND (${filter.path}::text IS NULL OR d.path = ${filter.path})
      AND (${filter.tag}::text IS NULL OR ${filter.tag} = ANY(d.tags))
      AND (${filter.isTemplate}::boolean IS NULL OR d.is_template = ${filter.isTemplate})
      AND (${filter.text}::text IS NULL OR contains_text(d.path, ${filter.text}) OR contains_text(d.title, ${filter.text}))
    ORDER BY d.id DESC
    LIMIT ${limit + 1}`);
  return rows.map(toDocument);
}

export async function findDocument(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<JourneyDocument | null> {
  const row = await tx.maybeOne(sql.type(DocumentRow)`
    ${SELECT_DOCUMENT}
    WHERE d.organization_id = ${organizationId} AND d.id = ${documentId}`);
  return row === null ? null : toDocument(row);
}

/** The document with this path; null where there is none or it is archived. */
export async function findDocumentByPath(
  tx: DatabaseTransactionConnection,
  { organizationId, path }: { organizationId: string; path: string },
): Promise<JourneyDocument | null> {
  const row = await tx.maybeOne(sql.type(DocumentRow)`
    ${SELECT_DOCUMENT}
    WHERE d.organization_id = ${organizationId} AND d.path = ${path} AND d.archived_at IS NULL`);
  return row === null ? null : toDocument(row);
}

/** The newest text of the document with this path; null where there is none or it is archived. */
export async function readHeadText(
  tx: DatabaseTransactionConnection,
  { organizationId, path }: { organizationId: string; path: string },
): Promise<Buffer | null> {
  const hash = await tx.maybeOneFirst(sql.type(z.object({ blob_hash: z.instanceof(Buffer) }))`
    SELECT v.blob_hash
    FROM journey_documents d
    JOIN journey_document_versions v
      ON v.organization_id = d.organization_id AND v.document_id = d.id AND v.version = d.head_version
    WHERE d.organization_id = ${organizationId} AND d.path = ${path} AND d.archived_at IS NULL`);
  return hash === null ? null : readBlob(tx, { organizationId, hash });
}

function toDocument(row: z.infer<typeof DocumentRow>): JourneyDocument {
  // JSON has the time as Postgres writes it.
  const lastRuns = row.last_runs.map((run) => ({
    ...run,
    createdAt: new Date(run.createdAt).toISOString(),
  }));
  return {
    id: row.id,
    path: row.path,
    kind: row.kind,
    journeyKey: row.journey_key,
    title: row.title,
    isTemplate: row.is_template,
    tags: row.tags,
    infoVersion: row.info_version,
    headVersion: row.head_version,
    headHash: row.head_hash,
    errorCount: row.error_count,
    warningCount: row.warning_count,
    base: row.base_path === null ? null : { id: row.base_id, path: row.base_path },
    drift: toDrift(row),
    managedBy:
      row.managed_repository === null || row.managed_path === null
        ? null
        : { repository: row.managed_repository, path: row.managed_path },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
    lastRun: lastRuns[0] ?? null,
    lastRuns,
    recentStatuses: row.recent_statuses,
    criteria: row.criterion_count === 0 ? null : { proven: row.proven_count, total: row.criterion_count },
  };
}

function toDrift({ extends_version, base_version }: z.infer<typeof DocumentRow>): JourneyDocument["drift"] {
  if (extends_version === null || base_version === null) return null;
  const { moved } = driftOf("", extends_version, base_version);
  return { extendsVersion: extends_version, baseVersion: base_version, moved };
}
