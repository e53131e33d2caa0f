import { type DatabaseTransactionConnection, ForeignKeyIntegrityConstraintViolationError, sql } from "slonik";
import { z } from "zod";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { TextChunk } from "../../lib/text-chunks.ts";
import { usageLimitError } from "../accept/usage.queries.ts";
import { type DescriptionForm, ScanDescription } from "@waymark/shared/scans/descriptions/schema.ts";

/** A description ready to be stored. Hashes are in hexadecimal. */
export interface NewDescription {
  hash: string;
  format: "json" | "yaml";
  size: number;
  chunks: readonly string[];
  canonical: { hash: string; size: number; chunks: readonly string[] };
  operationsHash: string;
  /** Every chunk once. */
  content: readonly TextChunk[];
}

/** The most chunks of one statement: each has some 700 bytes, compressed. */
const CHUNKS_PER_STATEMENT = 500;

/** Stores a description and those of its chunks that are missing. What it refers to stays until the transaction ends. */
export async function storeDescription(
  tx: DatabaseTransactionConnection,
  { organizationId, description }: { organizationId: string; description: NewDescription },
): Promise<void> {
  const { hash, format, size, chunks, canonical, operationsHash, content } = description;
  const named = content.map(({ id }) => id);
  const missing = await tx.oneFirst(sql.type(z.object({ missing: z.array(z.string()) }))`
    SELECT lock_description_chunks(${organizationId}, ${sql.array(named, "uuid")}) AS missing`);
  const wanted = new Set(missing.map((id) => id.replaceAll("-", "")));
  const sent = content.filter(({ id }) => wanted.has(id));
  const facts = {
    hash,
    format,
    size,
    canonicalHash: canonical.hash,
    canonicalSize: canonical.size,
    operationsHash,
  };
  const canonicalChunks =
    canonical.hash === hash ? sql.fragment`NULL` : sql.fragment`${sql.array([...canonical.chunks], "uuid")}`;
  await storeChunks(tx, { organizationId, chunks: sent });
  await tx.query(sql.type(z.object({}))`
    SELECT FROM store_description(${organizationId}, ${JSON.stringify(facts)}::jsonb, ${sql.array([...chunks], "uuid")}, ${canonicalChunks})`);
}

/** Stores chunks in several statements: the driver writes the bytes of one as text at once, 6 MB in 0.2 s, and meanwhile no request is answered. */
async function storeChunks(
  tx: DatabaseTransactionConnection,
  { organizationId, chunks }: { organizationId: string; chunks: readonly TextChunk[] },
): Promise<void> {
  // In one order over all statements: two who store the same chunks wait for one another, and never in a circle.
  const ordered = chunks.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (let at = 0; at < ordered.length; at += CHUNKS_PER_STATEMENT) {
    const part = ordered.slice(at, at + CHUNKS_PER_STATEMENT);
    const ids = part.map(({ id }) => id);
    const sizes = part.map(({ size }) => size);
    const bytes = part.map((chunk) => Buffer.from(chunk.bytes));
    await tx.query(sql.type(z.object({}))`
      SELECT FROM store_description_chunks(${organizationId}, ${sql.array(ids, "uuid")}, ${sql.array(sizes, "int4")},
        ${sql.array(bytes, "bytea")})`);
  }
}

const LinkOutcome = z.enum(["created", "same", "other"]);
const DESCRIPTION_OF_RUN = "scan_run_descriptions_organization_id_description_hash_fkey";

/**
 * Says that a run was scanned from a description.
 *
 * @returns `same` if that was said before, `other` if the run has another description
 * @throws AppError `not_found` if the run was deleted meanwhile, `description_unknown` if the description was; both end the transaction
 */
export async function linkDescription(
  tx: DatabaseTransactionConnection,
  link: { organizationId: string; scanRunId: string; hash: string; createdByKeyId: string },
): Promise<z.infer<typeof LinkOutcome>> {
  const { organizationId, scanRunId, hash, createdByKeyId } = link;
  try {
    return await tx.oneFirst(sql.type(z.object({ outcome: LinkOutcome }))`
      SELECT link_description(${organizationId}, ${scanRunId}, decode(${hash}, 'hex'), ${createdByKeyId}) AS outcome`);
  } catch (error) {
    if (!(error instanceof ForeignKeyIntegrityConstraintViolationError)) throw error;
    if (error.constraint === DESCRIPTION_OF_RUN)
      throw new AppError("description_unknown", "The description was deleted meanwhile. Send the text.", {
        cause: error,
      });
    throw new AppError("not_found", "The scan run was deleted meanwhile.", { cause: error });
  }
}

/** Counts bytes of descriptions towards the organization's daily limits. Call it last. @throws UsageLimitExceeded */
export async function countDescriptionBytes(
  tx: DatabaseTransactionConnection,
  counted: { organizationId: string; bytes: number; scansMax: number | null; bytesMax: number | null },
): Promise<void> {
  const { organizationId, bytes, scansMax, bytesMax } = counted;
  try {
    await tx.query(sql.type(z.object({}))`
      SELECT FROM count_accepted_scans(${organizationId}, 0, ${bytes}, ${scansMax}::bigint, ${bytesMax}::bigint)`);
  } catch (error) {
    throw limitErrorIn(error) ?? error;
  }
}

/** Finds the database's error among the causes of Slonik's. */
function limitErrorIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  return usageLimitError(error) ?? limitErrorIn(error.cause);
}

/** Returns the hash of the operations of a description that a run of that service has; null if no run of it has this description. */
export async function findOperationsHash(
  tx: DatabaseTransactionConnection,
  wanted: { organizationId: string; serviceId: string; hash: string },
): Promise<string | null> {
  const row = await tx.maybeOne(sql.type(z.object({ operations_hash: z.instanceof(Buffer) }))`
    SELECT d.operations_hash
    FROM descriptions d
    WHERE d.organization_id = ${wanted.organizationId} AND d.hash = decode(${wanted.hash}, 'hex') AND EXISTS (
      SELECT FROM scan_run_descriptions l
      JOIN scan_runs r ON r.organization_id = l.organization_id AND r.id = l.scan_run_id
      WHERE l.organization_id = d.organization_id AND l.description_hash = d.hash AND r.service_id = ${wanted.serviceId})`);
  return row === null ? null : row.operations_hash.toString("hex");
}

const DescriptionRow = z.object({
  format: ScanDescription.shape.format,
  hash: z.instanceof(Buffer),
  size: z.number(),
  canonical_hash: z.instanceof(Buffer),
  canonical_size: z.number(),
  created_at: z.string(),
});

/** The description of a run; null if it has none. */
export async function findScanDescription(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: { organizationId: string; scanRunId: string },
): Promise<ScanDescription | null> {
  const row = await tx.maybeOne(sql.type(DescriptionRow)`
    SELECT d.format, d.hash, d.size, d.canonical_hash, d.canonical_size, l.created_at
    FROM scan_run_descriptions l
    JOIN descriptions d ON d.organization_id = l.organization_id AND d.hash = l.description_hash
    WHERE l.organization_id = ${organizationId} AND l.scan_run_id = ${scanRunId}`);
  if (row === null) return null;
  return {
    scanRunId,
    format: row.format,
    hash: row.hash.toString("hex"),
    bytes: row.size,
    canonicalHash: row.canonical_hash.toString("hex"),
    canonicalBytes: row.canonical_size,
    createdAt: row.created_at,
  };
}

/** Returns the compressed chunks of a description's text, in order. Some megabytes, where the text has twenty. */
export async function readDescriptionChunks(
  tx: DatabaseTransactionConnection,
  wanted: { organizationId: string; hash: string; form: DescriptionForm },
): Promise<Buffer[]> {
  const { organizationId, hash, form } = wanted;
  const list =
    form === "original" ? sql.fragment`d.chunks` : sql.fragment`coalesce(d.canonical_chunks, d.chunks)`;
  const rows = await tx.any(sql.type(z.object({ bytes: z.instanceof(Buffer) }))`
    SELECT c.bytes
    FROM descriptions d
    CROSS JOIN LATERAL unnest(${list}) WITH ORDINALITY AS named (id, n)
    CROSS JOIN LATERAL (
      SELECT k.bytes FROM description_chunks k WHERE k.organization_id = d.organization_id AND k.id = named.id LIMIT 1) c
    WHERE d.organization_id = ${organizationId} AND d.hash = decode(${hash}, 'hex')
    ORDER BY named.n`);
  return rows.map(({ bytes }) => bytes);
}
