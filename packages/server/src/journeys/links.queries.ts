import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { DocumentKind, type JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";

const Role = z.enum(["source", "extends", "journey"]);
const LinkRow = z.object({
  role: Role,
  name: z.string(),
  target: z.string(),
  target_path: z.string().nullable(),
  document_id: z.string().nullable(),
});

/** Lists the references of the newest version of a document. */
export async function listLinks(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<JourneyDocumentDetail["links"]> {
  const rows = await tx.any(sql.type(LinkRow)`
    SELECT l.role, l.name, l.target, l.target_path, t.id AS document_id
    FROM journey_documents d
    JOIN journey_document_links l
      ON l.organization_id = d.organization_id AND l.document_id = d.id AND l.version = d.head_version
    LEFT JOIN journey_documents t
      ON t.organization_id = l.organization_id AND t.path = l.target_path AND t.archived_at IS NULL
    WHERE d.organization_id = ${organizationId} AND d.id = ${documentId}
    ORDER BY l.role, l.name`);
  return rows.map(({ target_path, document_id, ...link }) => ({
    ...link,
    path: target_path,
    documentId: document_id,
  }));
}

const USERS_MAX = 200;
const UserRow = z.object({ id: z.string(), path: z.string(), role: Role });

/** The documents whose newest versions refer to one of these paths; archived ones don't count. */
export async function listUsers(
  tx: DatabaseTransactionConnection,
  { organizationId, paths }: { organizationId: string; paths: readonly string[] },
): Promise<JourneyDocumentDetail["usedBy"]> {
  return [
    ...(await tx.any(sql.type(UserRow)`
      SELECT DISTINCT d.id, d.path, l.role
      FROM journey_document_links l
      JOIN journey_documents d
        ON d.organization_id = l.organization_id AND d.id = l.document_id AND d.head_version = l.version
      WHERE l.organization_id = ${organizationId} AND l.target_path = ANY(${sql.array([...paths], "text")})
        AND d.archived_at IS NULL
      ORDER BY d.path
      LIMIT ${USERS_MAX}`)),
  ];
}

const DependentRow = z.object({
  id: z.string(),
  path: z.string(),
  kind: DocumentKind,
  title: z.string().nullable(),
  total: z.number(),
});

/**
 * The journeys and overlays that refer to these paths, directly or through others, but for those with these paths themselves.
 *
 * @returns the first ones by path, and how many there are
 */
export async function listDependents(
  tx: DatabaseTransactionConnection,
  { organizationId, paths, limit }: { organizationId: string; paths: readonly string[]; limit: number },
): Promise<{ documents: Omit<z.infer<typeof DependentRow>, "total">[]; total: number }> {
  const named = sql.array([...paths], "text");
  const rows = await tx.any(sql.type(DependentRow)`
    WITH RECURSIVE reached AS (
      SELECT unnest(${named}) AS path
      UNION
      SELECT d.path
      FROM reached r
      JOIN journey_document_links l ON l.organization_id = ${organizationId} AND l.target_path = r.path
      JOIN journey_documents d
        ON d.organization_id = l.organization_id AND d.id = l.document_id AND d.head_version = l.version
      WHERE d.archived_at IS NULL
    )
    SELECT d.id, d.path, d.kind, d.title, count(*) OVER ()::int AS total
    FROM reached r
    JOIN journey_documents d
      ON d.organization_id = ${organizationId} AND d.path = r.path AND d.archived_at IS NULL
    WHERE d.kind <> 'openapi' AND d.path <> ALL(${named})
    ORDER BY d.path
    LIMIT ${limit}`);
  return {
    documents: rows.map(({ total: _total, ...document }) => document),
    total: rows[0]?.total ?? 0,
  };
}
