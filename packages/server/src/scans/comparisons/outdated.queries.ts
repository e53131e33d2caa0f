import type { PgClient } from "../../db/pool.ts";
import type { DerivationBatch, DerivedBatch } from "../../lib/derivation.ts";

/**
 * Asks workers to compare what rules before a version have judged: of the next services, the last change and the runs after it.
 *
 * @returns also how many comparisons were requested
 */
export async function requestOutdatedComparisons(
  client: PgClient,
  { organizationId, afterServiceId, batchMax, engine }: DerivationBatch & { engine: number },
): Promise<DerivedBatch & { requested: number }> {
  const { rows } = await client.query<DerivedBatch & { requested: number }>(
    `SELECT service_count AS found, last_service_id AS "lastServiceId", requested FROM request_outdated_comparisons($1, $2, $3, $4)`,
    [organizationId, afterServiceId, batchMax, engine],
  );
  return rows[0] ?? { found: 0, lastServiceId: null, requested: 0 };
}
