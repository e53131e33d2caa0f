import { type DatabaseTransactionConnection, sql } from "slonik";
import type { PgClient } from "../db/pool.ts";
import { FoundEndpoint } from "./schema.ts";

/** Current endpoints of all services that have every word of the text, or words that begin with them; up to `limit + 1`. */
export async function searchEndpoints(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; text: string; limit: number },
): Promise<readonly FoundEndpoint[]> {
  return db.any(sql.type(FoundEndpoint)`
    SELECT service_id AS "serviceId", service_name AS "serviceName", scan_run_id AS "scanRunId", method, path,
           operation_id AS "operationId", tags, summary
    FROM search_endpoints(${options.organizationId}, ${options.text}, ${options.limit + 1})`);
}

/** Indexes the words of one service's current endpoints. @returns how many services: 0 if none is left */
export async function indexEndpointWords(
  client: PgClient,
  { organizationId }: { organizationId: string },
): Promise<0 | 1> {
  const { rows } = await client.query<{ found: boolean }>("SELECT index_endpoint_words($1) AS found", [
    organizationId,
  ]);
  return rows[0]?.found === true ? 1 : 0;
}
