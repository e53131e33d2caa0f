import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { HttpMethod, type ServiceEndpoint } from "../schema.ts";

const ServiceEndpointRow = z.object({
  ordinal: z.number(),
  method: HttpMethod,
  path: z.string(),
  operation_id: z.string().nullable(),
  tags: z.array(z.string()),
  summary: z.string().nullable(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
});

/**
 * The endpoints of a service's current run, with their ordinals; up to `limit + 1`. When they were seen is derived
 * from every content that the service ever had, so the cost grows with how often its content changed.
 */
export async function listServiceEndpoints(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; serviceId: string; limit: number; afterOrdinal: number | null },
): Promise<{ ordinal: number; endpoint: ServiceEndpoint }[]> {
  const rows = await db.any(sql.type(ServiceEndpointRow)`
    WITH page AS (
      SELECT e.*
      FROM services s
      JOIN scan_runs r ON r.organization_id = s.organization_id AND r.id = s.current_run_id
      JOIN snapshot_endpoints e ON e.organization_id = r.organization_id AND e.snapshot_id = r.snapshot_id
      WHERE s.organization_id = ${options.organizationId} AND s.id = ${options.serviceId}
        AND e.ordinal > ${options.afterOrdinal ?? -1}
      ORDER BY e.ordinal
      LIMIT ${options.limit + 1}
    ), seen AS (
      SELECT o.method, o.path, min(n.first_seen_at) AS first_seen_at, max(n.last_seen_at) AS last_seen_at
      FROM service_snapshots n
      JOIN snapshot_endpoints o ON o.organization_id = n.organization_id AND o.snapshot_id = n.snapshot_id
      WHERE n.organization_id = ${options.organizationId} AND n.service_id = ${options.serviceId}
        AND (o.method, o.path) IN (SELECT method, path FROM page)
      GROUP BY o.method, o.path
    )
    SELECT p.ordinal, p.method, p.path, p.operation_id, p.tags, p.summary, s.first_seen_at, s.last_seen_at
    FROM page p
    JOIN seen s ON s.method = p.method AND s.path = p.path
    ORDER BY p.ordinal`);
  return rows.map((row) => ({
    ordinal: row.ordinal,
    endpoint: {
      method: row.method,
      path: row.path,
      operationId: row.operation_id,
      tags: row.tags,
      summary: row.summary,
      firstSeenAt: row.first_seen_at,
      lastSeenAt: row.last_seen_at,
    },
  }));
}
