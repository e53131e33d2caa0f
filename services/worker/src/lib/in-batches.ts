import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import type { PgClient, PgPool } from "@waymark/server/db/pool.ts";

/** The organization whose old data is deleted. */
export interface RetentionTarget {
  pool: PgPool;
  organizationId: string;
}

/** Deletes up to `batchMax` and returns how many. */
type BatchWork = (client: PgClient, batch: { organizationId: string; batchMax: number }) => Promise<number>;

/** One transaction per batch, until a batch is not full: so none holds its locks for long. */
export async function inBatches(
  { pool, organizationId }: RetentionTarget,
  batchMax: number,
  work: BatchWork,
): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await withOrganizationClient(pool, organizationId, (client) =>
      work(client, { organizationId, batchMax }),
    );
    total += deleted;
    if (deleted < batchMax) return total;
  }
}
