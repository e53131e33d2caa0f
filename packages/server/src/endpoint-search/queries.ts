import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { PgClient } from "../db/pool.ts";
import { deriveBatch, type DerivationBatch, type DerivedBatch } from "../lib/derivation.ts";
import { FoundEndpoint, type FoundPosition } from "@waymark/shared/endpoint-search/schema.ts";

/**
 * Lists current endpoints that have every word of the text, or words that begin with them, with their positions; up to `limit + 1`.
 *
 * @param options.serviceIds the only services that are searched; null for all
 */
export async function searchEndpoints(
  db: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    serviceIds: readonly string[] | null;
    text: string;
    limit: number;
    after: FoundPosition | null;
  },
): Promise<{ endpoint: Omit<FoundEndpoint, "ownerTeam">; position: FoundPosition }[]> {
  const { organizationId, serviceIds, text: words, limit, after } = options;
  const services = serviceIds === null ? sql.fragment`NULL` : sql.array(serviceIds, "uuid");
  const place =
    after === null
      ? sql.fragment``
      : sql.fragment`, p_after => ROW(${after.serviceName}, ${after.path}, ${after.method}, ${after.occurrence})::endpoint_position`;
  const rows = await db.any(sql.type(FoundEndpoint.omit({ ownerTeam: true }).extend({ occurrence: z.int() }))`
    SELECT service_id AS "serviceId", service_name AS "serviceName", scan_run_id AS "scanRunId", method, path,
           operation_id AS "operationId", tags, summary, occurrence
    FROM search_endpoints(${organizationId}, ${words}, ${limit + 1}, ${services} ${place})`);
  return rows.map(({ occurrence, ...endpoint }) => {
    const { serviceName, path, method } = endpoint;
    return { endpoint, position: { serviceName, path, method, occurrence } };
  });
}

/** Indexes the words of services' current endpoints that are not indexed yet. */
export function indexEndpointWords(client: PgClient, batch: DerivationBatch): Promise<DerivedBatch> {
  return deriveBatch(client, "index_endpoint_words", batch);
}
