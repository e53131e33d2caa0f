import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { ItemPosition } from "../../lib/cursor.ts";
import { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { CHUNK_ITEMS_MAX, CHUNK_ITEMS_MIN } from "./cut-chunks.ts";

interface ItemPage {
  organizationId: string;
  limit: number;
  /** Exclusive; null for the first page. */
  after: ItemPosition | null;
}

interface ItemTable {
  /** The column of a snapshot `n`. */
  chunks: FragmentSqlToken;
  rows: FragmentSqlToken;
  /** The columns of a row `i`. */
  columns: FragmentSqlToken;
}

const ENDPOINTS: ItemTable = {
  chunks: sql.fragment`n.endpoint_chunks`,
  rows: sql.fragment`chunk_endpoints`,
  columns: sql.fragment`i.method, i.path, i.operation_id AS "operationId", i.tags, i.summary`,
};
const FINDINGS: ItemTable = {
  chunks: sql.fragment`n.finding_chunks`,
  rows: sql.fragment`chunk_findings`,
  columns: sql.fragment`i.code, i.severity, i.message, i.method, i.path`,
};

const Position = z.object({ chunk: z.number(), ordinal: z.number() });
/** An endpoint, with columns named like the fields of `NormalizedEndpoint`. */
export const EndpointItem = z.object({
  method: NormalizedEndpoint.shape.method,
  path: z.string(),
  operationId: z.string().nullable(),
  tags: z.array(z.string()),
  summary: z.string().nullable(),
});
const FindingItem = z.object(NormalizedFinding.shape);

/**
 * Selects up to `limit + 1` rows of a snapshot `n`, with their positions. It reads only the chunks that the page can need,
 * each by its key: all chunks but the last have at least CHUNK_ITEMS_MIN items.
 */
function selectPage({ chunks, rows, columns }: ItemTable, page: ItemPage): FragmentSqlToken {
  const { chunk: first, ordinal } = page.after ?? { chunk: 1, ordinal: -1 };
  const last = first + Math.ceil((page.limit + 1) / CHUNK_ITEMS_MIN);
  return sql.fragment`
    SELECT (${first} + c.n - 1)::int AS chunk, i.ordinal, ${columns}
    FROM unnest((${chunks})[${first}:${last}]) WITH ORDINALITY AS c (id, n)
    CROSS JOIN LATERAL (
      SELECT * FROM ${rows} r
      WHERE r.organization_id = ${page.organizationId} AND r.chunk_id = c.id AND (c.n > 1 OR r.ordinal > ${ordinal})
      ORDER BY r.ordinal
      LIMIT ${CHUNK_ITEMS_MAX}) i
    ORDER BY c.n, i.ordinal
    LIMIT ${page.limit + 1}`;
}

const EndpointRow = EndpointItem.extend(Position.shape);

function selectPageOfRun(table: ItemTable, page: ItemPage & { scanRunId: string }): FragmentSqlToken {
  return sql.fragment`
    SELECT item.*
    FROM scan_runs r
    JOIN snapshots n ON n.organization_id = r.organization_id AND n.id = r.snapshot_id
    CROSS JOIN LATERAL (${selectPage(table, page)}) item
    WHERE r.organization_id = ${page.organizationId} AND r.id = ${page.scanRunId}
    ORDER BY item.chunk, item.ordinal`;
}

/** A completed run's endpoints in submitted order, with their positions; up to `limit + 1`. */
export async function listEndpoints(
  db: DatabaseTransactionConnection,
  page: ItemPage & { scanRunId: string },
): Promise<{ position: ItemPosition; endpoint: NormalizedEndpoint }[]> {
  const rows = await db.any(sql.type(EndpointRow)`${selectPageOfRun(ENDPOINTS, page)}`);
  return rows.map(({ chunk, ordinal, ...endpoint }) => ({ position: { chunk, ordinal }, endpoint }));
}

/** A completed run's findings in submitted order, with their positions; up to `limit + 1`. */
export async function listFindings(
  db: DatabaseTransactionConnection,
  page: ItemPage & { scanRunId: string },
): Promise<{ position: ItemPosition; finding: NormalizedFinding }[]> {
  const FindingRow = FindingItem.extend(Position.shape);
  const rows = await db.any(sql.type(FindingRow)`${selectPageOfRun(FINDINGS, page)}`);
  return rows.map(({ chunk, ordinal, ...finding }) => ({ position: { chunk, ordinal }, finding }));
}

const ChunkLists = z.object({ endpoints: z.array(z.string()), findings: z.array(z.string()) });
/** The ids of the chunks of a content, in order. */
export type ChunkLists = z.infer<typeof ChunkLists>;

/** Null if the run is not completed. */
export async function findChunkLists(
  db: DatabaseTransactionConnection,
  run: { organizationId: string; scanRunId: string },
): Promise<ChunkLists | null> {
  return db.maybeOne(sql.type(ChunkLists)`
    SELECT n.endpoint_chunks AS endpoints, n.finding_chunks AS findings
    FROM scan_runs r
    JOIN snapshots n ON n.organization_id = r.organization_id AND n.id = r.snapshot_id
    WHERE r.organization_id = ${run.organizationId} AND r.id = ${run.scanRunId}`);
}

interface Chunks {
  organizationId: string;
  chunkIds: readonly string[];
}

function selectChunks({ rows, columns }: ItemTable, { organizationId, chunkIds }: Chunks): FragmentSqlToken {
  return sql.fragment`
    SELECT ${columns}
    FROM unnest(${sql.array(chunkIds, "uuid")}) WITH ORDINALITY AS c (id, n)
    CROSS JOIN LATERAL (
      SELECT * FROM ${rows} r
      WHERE r.organization_id = ${organizationId} AND r.chunk_id = c.id
      LIMIT ${CHUNK_ITEMS_MAX}) i
    ORDER BY c.n, i.ordinal`;
}

/** The endpoints of these chunks, in the chunks' order. */
export async function readEndpoints(
  db: DatabaseTransactionConnection,
  chunks: Chunks,
): Promise<readonly NormalizedEndpoint[]> {
  return chunks.chunkIds.length === 0
    ? []
    : db.any(sql.type(EndpointItem)`${selectChunks(ENDPOINTS, chunks)}`);
}

/** The findings of these chunks, in the chunks' order. */
export async function readFindings(
  db: DatabaseTransactionConnection,
  chunks: Chunks,
): Promise<readonly NormalizedFinding[]> {
  return chunks.chunkIds.length === 0 ? [] : db.any(sql.type(FindingItem)`${selectChunks(FINDINGS, chunks)}`);
}

const KnownEndpoint = z.object({
  scanRunId: z.string(),
  method: z.string(),
  path: z.string(),
  operationId: z.string().nullable(),
});

/**
 * Finds the endpoints of runs whose method and path, with each parameter as `{}`, are among some. The coverage of 1,000
 * services with 100 endpoints each takes 1.2 s with it, and 2.5 s if all endpoints are read.
 */
export async function findEndpoints(
  db: DatabaseTransactionConnection,
  {
    organizationId,
    wanted,
  }: { organizationId: string; wanted: readonly { scanRunId: string; key: string }[] },
): Promise<readonly z.infer<typeof KnownEndpoint>[]> {
  const runs = sql.array(
    wanted.map(({ scanRunId }) => scanRunId),
    "uuid",
  );
  const keys = sql.array(
    wanted.map(({ key }) => key),
    "text",
  );
  return db.any(sql.type(KnownEndpoint)`
    WITH wanted AS MATERIALIZED (
      SELECT DISTINCT w.run_id, w.key FROM unnest(${runs}, ${keys}) AS w (run_id, key)
    )
    SELECT r.id AS "scanRunId", i.method, i.path, i.operation_id AS "operationId"
    FROM (SELECT DISTINCT w.run_id FROM wanted w) named
    JOIN scan_runs r ON r.organization_id = ${organizationId} AND r.id = named.run_id
    JOIN snapshots n ON n.organization_id = r.organization_id AND n.id = r.snapshot_id
    CROSS JOIN LATERAL unnest(n.endpoint_chunks) AS c (id)
    CROSS JOIN LATERAL (
      SELECT * FROM chunk_endpoints e
      WHERE e.organization_id = ${organizationId} AND e.chunk_id = c.id
      LIMIT ${CHUNK_ITEMS_MAX}) i
    WHERE (r.id, upper(i.method) || ' ' || regexp_replace(i.path, '[{][^}]*[}]', '{}', 'g')) IN (SELECT w.run_id, w.key FROM wanted w)`);
}
