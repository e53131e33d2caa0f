import { type DatabaseTransactionConnection, sql } from "slonik";
import type { PgClient } from "../db/pool.ts";
import { deriveBatch, type DerivationBatch, type DerivedBatch } from "../lib/derivation.ts";
import { FoundEndpoint } from "./schema.ts";

/**
 * Lists current endpoints that have every word of the text, or words that begin with them; up to `limit + 1`.
 *
 * @param options.serviceIds the only services that are searched; null for all
 */
export async function searchEndpoints(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; serviceIds: readonly string[] | null; text: string; limit: number },
): Promise<readonly FoundEndpoint[]> {
  const { organizationId, serviceIds, text, limit } = options;
  const services = serviceIds === null ? sql.fragment`NULL` : sql.array(serviceIds, "uuid");
  return db.any(sql.type(FoundEndpoint)`
    SELECT service_id AS "serviceId", service_name AS "serviceName", scan_run_id AS "scanRunId", method, path,
           operation_id AS "operationId", tags, summary
    FROM search_endpoints(${organizationId}, ${text}, ${limit + 1}, ${services})`);
}

/** Indexes the words of services' current endpoints that are not indexed yet. */
export function indexEndpointWords(client: PgClient, batch: DerivationBatch): Promise<DerivedBatch> {
  return deriveBatch(client, "index_endpoint_words", batch);
}
