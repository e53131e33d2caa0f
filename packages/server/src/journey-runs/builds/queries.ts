import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { type Blob, storeBlobs } from "../../db/blobs.ts";
import { ArtifactNeeds } from "./artifact-facts.ts";
import type { ArtifactFacts, ReadDocument } from "./artifact-facts.ts";

const ReadRow = z.object({
  root_id: z.string(),
  document_id: z.string(),
  version: z.number(),
  path: z.string(),
  hash: z.string(),
});

/** A document at a version. */
interface DocumentVersion {
  documentId: string;
  version: number;
}

/** A document at a version, and the newest versions of everything that it refers to, directly or through others. */
export async function listReadDocuments(
  tx: DatabaseTransactionConnection,
  { organizationId, ...root }: { organizationId: string } & DocumentVersion,
): Promise<ReadDocument[]> {
  return (await listReadDocumentsOf(tx, { organizationId, roots: [root] })).get(root.documentId) ?? [];
}

/** Like `listReadDocuments`, for several documents, each named once. */
export async function listReadDocumentsOf(
  tx: DatabaseTransactionConnection,
  { organizationId, roots }: { organizationId: string; roots: readonly DocumentVersion[] },
): Promise<Map<string, ReadDocument[]>> {
  const ids = roots.map(({ documentId }) => documentId);
  const versions = roots.map(({ version }) => version);
  const rows = await tx.any(sql.type(ReadRow)`
    WITH RECURSIVE reached AS (
      SELECT root.id AS root_id, root.version AS root_version, root.id AS document_id, root.version
      FROM unnest(${sql.array(ids, "uuid")}, ${sql.array(versions, "int4")}) AS root (id, version)
      UNION
      SELECT r.root_id, r.root_version, d.id, CASE WHEN d.id = r.root_id THEN r.root_version ELSE d.head_version END
      FROM reached r
      JOIN journey_document_links l
        ON l.organization_id = ${organizationId} AND l.document_id = r.document_id AND l.version = r.version
      JOIN journey_documents d
        ON d.organization_id = l.organization_id AND d.path = l.target_path AND d.archived_at IS NULL
    )
    SELECT r.root_id, r.document_id, r.version, d.path, encode(v.blob_hash, 'hex') AS hash
    FROM reached r
    JOIN journey_documents d ON d.organization_id = ${organizationId} AND d.id = r.document_id
    JOIN journey_document_versions v
      ON v.organization_id = d.organization_id AND v.document_id = d.id AND v.version = r.version
    ORDER BY d.path`);
  const read = Map.groupBy(rows, (row) => row.root_id);
  return new Map(
    [...read].map(([root, own]) => [
      root,
      own.map(({ document_id, version, path, hash }) => ({ documentId: document_id, version, path, hash })),
    ]),
  );
}

/** A problem that keeps a journey from being run. */
const BuildProblem = z.object({ path: z.string(), message: z.string() });
export type BuildProblem = z.infer<typeof BuildProblem>;

/** The result of a build. */
export type JourneyBuild =
  | { isOk: true; artifactHash: Buffer; programId: string; needs: ArtifactNeeds }
  | { isOk: false; problems: BuildProblem[] };

const BuildRow = z.object({
  problems: z.array(BuildProblem),
  artifact_hash: z.instanceof(Buffer).nullable(),
  program_id: z.string().nullable(),
  needs: z.string().nullable(),
});

export async function findJourneyBuild(
  tx: DatabaseTransactionConnection,
  { organizationId, buildKey }: { organizationId: string; buildKey: Buffer },
): Promise<JourneyBuild | null> {
  const row = await tx.maybeOne(sql.type(BuildRow)`
    SELECT problems, artifact_hash, program_id, needs FROM journey_builds
    WHERE organization_id = ${organizationId} AND build_key = ${sql.binary(buildKey)}`);
  if (row === null) return null;
  const { artifact_hash: artifactHash, program_id: programId, needs } = row;
  if (artifactHash === null || programId === null || needs === null)
    return { isOk: false, problems: row.problems };
  return { isOk: true, artifactHash, programId, needs: ArtifactNeeds.parse(JSON.parse(needs)) };
}

/** The document and the environment of the newest build that came to this artifact. */
export async function findBuiltFrom(
  tx: DatabaseTransactionConnection,
  { organizationId, artifactHash }: { organizationId: string; artifactHash: Buffer },
): Promise<{ documentId: string; environmentId: string } | null> {
  const row = await tx.maybeOne(sql.type(z.object({ document_id: z.string(), environment_id: z.string() }))`
    SELECT document_id, environment_id FROM journey_builds
    WHERE organization_id = ${organizationId} AND artifact_hash = ${sql.binary(artifactHash)}
    ORDER BY created_at DESC LIMIT 1`);
  return row === null ? null : { documentId: row.document_id, environmentId: row.environment_id };
}

export interface NewJourneyBuild {
  organizationId: string;
  buildKey: Buffer;
  documentId: string;
  version: number;
  environmentId: string;
  environmentRevision: number;
  documents: readonly ReadDocument[];
  compilerVersion: string;
  problems: readonly BuildProblem[];
  artifact: { blob: Blob; programId: string; facts: ArtifactFacts } | null;
}

/** Stores a build once: another process may have made the same. */
export async function insertJourneyBuild(
  tx: DatabaseTransactionConnection,
  build: NewJourneyBuild,
): Promise<void> {
  const { organizationId, artifact } = build;
  const hash = artifact === null ? null : sql.binary(artifact.blob.hash);
  if (artifact !== null) await storeBlobs(tx, { organizationId, blobs: [artifact.blob] });
  const read = build.documents.map(({ documentId, version }) => ({ documentId, version }));
  await tx.query(sql.type(z.object({}))`
    INSERT INTO journey_builds (organization_id, build_key, document_id, document_version, environment_id,
                                environment_revision, inputs, compiler_version, problems, artifact_hash, program_id, needs)
    VALUES (${organizationId}, ${sql.binary(build.buildKey)}, ${build.documentId}, ${build.version},
            ${build.environmentId}, ${build.environmentRevision}, ${JSON.stringify(read)}::jsonb,
            ${build.compilerVersion}, ${JSON.stringify(build.problems)}::jsonb, ${hash},
            ${artifact?.programId ?? null}, ${artifact === null ? null : JSON.stringify(artifact.facts.needs)})
    ON CONFLICT DO NOTHING`);
  if (artifact === null) return;
  await insertFacts(tx, { organizationId, hash: artifact.blob.hash, facts: artifact.facts });
  await refreshContents(tx, build, artifact.facts);
}

/**
 * Stores the calls and promises of the newest version. A changeset refreshes only a part of a large number of
 * dependents.
 */
async function refreshContents(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId, version, documents }: NewJourneyBuild,
  { operations, criteria }: ArtifactFacts,
): Promise<void> {
  const paths = new Map(documents.map((document) => [document.documentId, document.path]));
  const called = operations.map(({ sourceDocumentId, ...operation }) => ({
    ...operation,
    sourcePath: paths.get(sourceDocumentId ?? ""),
  }));
  const promised = criteria.map(({ ownerDocumentId, ...criterion }) => ({
    ...criterion,
    ownerPath: paths.get(ownerDocumentId),
  }));
  await tx.query(sql.type(z.object({}))`
    SELECT FROM journey_documents d
    CROSS JOIN LATERAL replace_journey_contents(d.organization_id, d.id, ${JSON.stringify(called)}::jsonb,
                                                ${JSON.stringify(promised)}::jsonb)
    WHERE d.organization_id = ${organizationId} AND d.id = ${documentId} AND d.head_version = ${version}
      AND d.archived_at IS NULL`);
}

async function insertFacts(
  tx: DatabaseTransactionConnection,
  { organizationId, hash, facts }: { organizationId: string; hash: Buffer; facts: ArtifactFacts },
): Promise<void> {
  for (const [ordinal, operation] of facts.operations.entries()) {
    await tx.query(sql.type(z.object({}))`
      INSERT INTO build_operations (organization_id, artifact_hash, ordinal, source, method, path, path_key, operation_id,
                                    source_document_id)
      VALUES (${organizationId}, ${sql.binary(hash)}, ${ordinal}, ${operation.source}, ${operation.method},
              ${operation.path}, ${operation.pathKey}, ${operation.operationId}, ${operation.sourceDocumentId})
      ON CONFLICT DO NOTHING`);
  }
  for (const criterion of facts.criteria) {
    await tx.query(sql.type(z.object({}))`
      INSERT INTO build_criteria (organization_id, artifact_hash, owner_document_id, criterion_id, severity, description,
                                  proven_by)
      VALUES (${organizationId}, ${sql.binary(hash)}, ${criterion.ownerDocumentId}, ${criterion.id},
              ${criterion.severity}, ${criterion.text}, ${sql.array(criterion.provenBy, "text")})
      ON CONFLICT DO NOTHING`);
  }
}
