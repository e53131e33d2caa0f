import type { PgClient } from "../db/pool.ts";

/** The services of one organization whose data is derived in one transaction. */
export interface DerivationBatch {
  organizationId: string;
  /** Services with greater ids only. */
  afterServiceId: string;
  batchMax: number;
}

/** The services that a batch found. */
export interface DerivedBatch {
  /** `batchMax` means that there may be more. */
  found: number;
  /** Null if none was found. */
  lastServiceId: string | null;
}

/** Functions that derive data of the next services, in the order of their ids. */
type DerivationFunction =
  | "index_endpoint_words"
  | "index_service_rules"
  | "record_service_breaks"
  | "record_service_changes"
  | "record_service_days";

/** Derives the data of the next services whose data is not derived yet. */
export async function deriveBatch(
  client: PgClient,
  name: DerivationFunction,
  { organizationId, afterServiceId, batchMax }: DerivationBatch,
): Promise<DerivedBatch> {
  const { rows } = await client.query<DerivedBatch>(
    `SELECT service_count AS found, last_service_id AS "lastServiceId" FROM ${name}($1, $2, $3)`,
    [organizationId, afterServiceId, batchMax],
  );
  return rows[0] ?? { found: 0, lastServiceId: null };
}
