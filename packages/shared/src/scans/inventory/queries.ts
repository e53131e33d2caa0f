import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { CHUNK_ITEMS_MAX } from "../content/cut-chunks.ts";
import { EndpointRow, type ItemPage, type ItemPosition, selectEndpointPage } from "../content/queries.ts";
import type { ServiceEndpoint } from "../schema.ts";

const ServiceEndpointRow = EndpointRow.extend({ firstSeenAt: z.string(), lastSeenAt: z.string() });

/**
 * The endpoints of a service's current run, with their positions; up to `limit + 1`. When they were seen is computed from
 * every content that the service ever had, so the cost grows with the number of its changes.
 */
export async function listServiceEndpoints(
  db: DatabaseTransactionConnection,
  page: ItemPage & { serviceId: string },
): Promise<{ position: ItemPosition; endpoint: ServiceEndpoint }[]> {
  const { organizationId, serviceId } = page;
  const rows = await db.any(sql.type(ServiceEndpointRow)`
    WITH page AS MATERIALIZED (
      SELECT e.*
      FROM services s
      JOIN scan_runs r ON r.organization_id = s.organization_id AND r.id = s.current_run_id
      JOIN snapshots n ON n.organization_id = r.organization_id AND n.id = r.snapshot_id
      CROSS JOIN LATERAL (${selectEndpointPage(page)}) e
      WHERE s.organization_id = ${organizationId} AND s.id = ${serviceId}
    ), seen_chunks AS MATERIALIZED (
      -- A chunk is in many contents, and read once.
      SELECT c.id, min(seen.first_seen_at) AS first_seen_at, max(seen.last_seen_at) AS last_seen_at
      FROM service_snapshots seen
      CROSS JOIN LATERAL (
        SELECT unnest(i.endpoint_chunks) AS id FROM snapshots i
        WHERE i.organization_id = ${organizationId} AND i.id = seen.snapshot_id) c
      WHERE seen.organization_id = ${organizationId} AND seen.service_id = ${serviceId}
      GROUP BY c.id
    ), seen AS (
      SELECT o.method, o.path, min(c.first_seen_at) AS first_seen_at, max(c.last_seen_at) AS last_seen_at
      FROM seen_chunks c
      CROSS JOIN LATERAL (
        SELECT i.method, i.path FROM chunk_endpoints i
        WHERE i.organization_id = ${organizationId} AND i.chunk_id = c.id
          AND (i.method, i.path) IN (SELECT method, path FROM page)
        LIMIT ${CHUNK_ITEMS_MAX}) o
      GROUP BY o.method, o.path
    )
    SELECT p.*, s.first_seen_at AS "firstSeenAt", s.last_seen_at AS "lastSeenAt"
    FROM page p
    JOIN seen s ON s.method = p.method AND s.path = p.path
    ORDER BY p.chunk, p.ordinal`);
  return rows.map(({ chunk, ordinal, ...endpoint }) => ({ position: { chunk, ordinal }, endpoint }));
}
