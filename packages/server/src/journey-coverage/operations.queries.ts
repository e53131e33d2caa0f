import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { BoundSource, SourceCalls } from "./cover-operations.ts";
import { isAmong } from "../db/is-among.ts";
import { type CoverageFilter, selectCurrentArtifacts } from "./current.queries.ts";

const SourceRow = z.object({
  document_id: z.string(),
  service_id: z.string(),
  path_prefix: z.string(),
  service_name: z.string(),
  is_archived: z.boolean(),
  current_run_id: z.string().nullable(),
  endpoint_count: z.number().nullable(),
});

/** The descriptions that are bound to services, or to one, with the services' current scans. */
export async function listBoundSources(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: { organizationId: string; serviceId: string | null },
): Promise<
  (BoundSource & {
    serviceName: string;
    isArchived: boolean;
    scanRunId: string | null;
    endpointCount: number;
  })[]
> {
  const rows = await tx.any(sql.type(SourceRow)`
    SELECT b.document_id, b.service_id, b.path_prefix, s.name AS service_name, s.archived_at IS NOT NULL AS is_archived, s.current_run_id, r.endpoint_count
    FROM source_bindings b
    JOIN journey_documents d
      ON d.organization_id = b.organization_id AND d.id = b.document_id AND d.archived_at IS NULL
    JOIN services s ON s.organization_id = b.organization_id AND s.id = b.service_id
    LEFT JOIN scan_runs r ON r.organization_id = s.organization_id AND r.id = s.current_run_id
    WHERE b.organization_id = ${organizationId} AND (${serviceId}::uuid IS NULL OR b.service_id = ${serviceId}::uuid)
    ORDER BY s.name, b.document_id`);
  return rows.map((row) => ({
    documentId: row.document_id,
    serviceId: row.service_id,
    pathPrefix: row.path_prefix,
    serviceName: row.service_name,
    isArchived: row.is_archived,
    scanRunId: row.current_run_id,
    endpointCount: row.endpoint_count ?? 0,
  }));
}

const CallRow = z.object({
  source_document_id: z.string(),
  source_path: z.string(),
  method: z.string(),
  path: z.string(),
  path_key: z.string(),
  operation_id: z.string().nullable(),
  calls: z.number(),
  statuses: z.string(),
  called_at: z.string(),
  asserted_at: z.string().nullable(),
  journey_ids: z.array(z.string()),
  journey_paths: z.array(z.string()),
});

/** The operations that runs of current journeys called in the window. */
export async function listCalls(
  tx: DatabaseTransactionConnection,
  { organizationId, since, environmentId, origin, serviceId, journeyIds }: CoverageFilter,
): Promise<SourceCalls[]> {
  const rows = await tx.any(sql.type(CallRow)`
    WITH current AS MATERIALIZED (${selectCurrentArtifacts(organizationId)}),
    by_journey AS (
      SELECT k.source_document_id, k.method, k.path_key, k.document_id, j.path AS journey_path, min(k.path) AS path,
             min(k.operation_id) AS operation_id, sum(k.calls) AS calls,
             string_agg(array_to_string(k.statuses, ' '), ' ') AS statuses, max(k.called_at) AS called_at,
             max(k.asserted_at) FILTER (WHERE k.asserted_at >= ${since}::timestamptz) AS asserted_at
      FROM journey_operation_calls k
      JOIN current c ON c.artifact_hash = k.artifact_hash
      JOIN journey_documents j
        ON j.organization_id = k.organization_id AND j.id = k.document_id AND j.archived_at IS NULL
      WHERE k.organization_id = ${organizationId} AND k.called_at >= ${since}::timestamptz
        AND (${environmentId}::uuid IS NULL OR k.environment_id = ${environmentId}::uuid)
        AND (${origin}::text IS NULL OR k.origin = ${origin})
        AND ${isAmong(sql.fragment`k.document_id`, journeyIds)}
        AND (${serviceId}::uuid IS NULL OR k.source_document_id IN (
          SELECT b.document_id FROM source_bindings b
          WHERE b.organization_id = ${organizationId} AND b.service_id = ${serviceId}::uuid))
      GROUP BY k.source_document_id, k.method, k.path_key, k.document_id, j.path
    )
    SELECT b.source_document_id, d.path AS source_path, b.method, min(b.path) AS path, b.path_key,
           min(b.operation_id) AS operation_id, sum(b.calls)::float8 AS calls, string_agg(b.statuses, ' ') AS statuses,
           max(b.called_at) AS called_at, max(b.asserted_at) AS asserted_at,
           array_agg(b.document_id) AS journey_ids,
           array_agg(b.journey_path) AS journey_paths
    FROM by_journey b
    JOIN journey_documents d ON d.organization_id = ${organizationId} AND d.id = b.source_document_id
    GROUP BY b.source_document_id, d.path, b.method, b.path_key
    ORDER BY d.path COLLATE "C", b.path_key COLLATE "C", b.method COLLATE "C"`);
  return rows.map((row) => ({
    sourceDocumentId: row.source_document_id,
    sourcePath: row.source_path,
    method: row.method,
    path: row.path,
    pathKey: row.path_key,
    operationId: row.operation_id,
    calls: row.calls,
    statuses: [...new Set(row.statuses.split(" ").filter((status) => status !== ""))].map(Number),
    calledAt: row.called_at,
    assertedAt: row.asserted_at,
    journeys: row.journey_ids.map((id, index) => ({ id, path: row.journey_paths[index] ?? "" })),
  }));
}

const CallerRow = z.object({
  document_id: z.string(),
  document_path: z.string(),
  title: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  operation_id: z.string().nullable(),
  path_prefix: z.string(),
});

/** An operation of a service that a journey calls, by its newest version. */
export interface ServiceCaller {
  journey: { id: string; path: string; title: string | null };
  method: string;
  path: string;
  operationId: string | null;
  pathPrefix: string;
}

/**
 * Lists the calls of journeys to a service, journey after journey, newest first.
 *
 * @param options.journeyIds only these; null: all
 * @param options.limit of journeys; there is one more, so that the caller sees whether there are more. Null: all
 */
export async function listServiceCallers(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    serviceId: string;
    journeyIds: readonly string[] | null;
    afterId: string | null;
    limit: number | null;
  },
): Promise<ServiceCaller[]> {
  const { organizationId, serviceId, journeyIds, afterId, limit } = options;
  const rows = await tx.any(sql.type(CallerRow)`
    WITH page AS (
      SELECT DISTINCT o.document_id
      FROM source_bindings b
      JOIN journey_operations o ON o.organization_id = b.organization_id AND o.source_document_id = b.document_id
      JOIN journey_documents d
        ON d.organization_id = o.organization_id AND d.id = o.document_id AND d.archived_at IS NULL
      WHERE b.organization_id = ${organizationId} AND b.service_id = ${serviceId}
        AND (${afterId}::uuid IS NULL OR o.document_id < ${afterId}::uuid)
        AND ${isAmong(sql.fragment`o.document_id`, journeyIds)}
      ORDER BY o.document_id DESC
      LIMIT ${limit === null ? null : limit + 1}::bigint
    )
    SELECT d.id AS document_id, d.path AS document_path, d.title, o.method, o.path, o.operation_id, b.path_prefix
    FROM page p
    JOIN journey_documents d ON d.organization_id = ${organizationId} AND d.id = p.document_id
    JOIN journey_operations o ON o.organization_id = d.organization_id AND o.document_id = d.id
    JOIN source_bindings b ON b.organization_id = o.organization_id AND b.document_id = o.source_document_id
    WHERE b.service_id = ${serviceId}
    ORDER BY d.id DESC, o.ordinal`);
  return rows.map((row) => ({
    journey: { id: row.document_id, path: row.document_path, title: row.title },
    method: row.method,
    path: row.path,
    operationId: row.operation_id,
    pathPrefix: row.path_prefix,
  }));
}
