import { withOrganizationClient } from "@waymark/shared/db/organization.ts";
import type { HotPool } from "@waymark/shared/db/pool.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import { deleteExpiredSessions } from "@waymark/shared/api-keys/sessions/queries.ts";
import {
  collectSnapshots,
  deleteExpiredIdempotencyKeys,
  deleteOldRuns,
  nextOrganizationId,
} from "@waymark/shared/scans/retention/queries.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
/** Small transactions: none of them holds its locks for long. */
const RUNS_PER_BATCH = 500;
const SNAPSHOTS_PER_BATCH = 10;
const KEYS_PER_BATCH = 1000;
const SESSIONS_PER_BATCH = 1000;

/** What is kept at least: runs of the last `keepDays` days, and the last `keepRuns` of each service. */
export interface Retention {
  keepDays: number;
  keepRuns: number;
}

/**
 * Deletes what nobody needs any more, organization by organization: idempotency keys after their day, sessions
 * after their lifetime, and with a retention also old runs and the contents that no run refers to.
 */
export async function keepHouse(
  context: { pool: HotPool; logger: Logger },
  retention: Retention | undefined,
): Promise<{ runs: number; snapshots: number; idempotencyKeys: number; sessions: number }> {
  const total = { runs: 0, snapshots: 0, idempotencyKeys: 0, sessions: 0 };
  let organizationId = await nextOrganizationId(context.pool, NIL_UUID);
  while (organizationId !== null) {
    const id = organizationId;
    const inBatches = (batchMax: number, work: Parameters<typeof repeatBatches>[2]) =>
      repeatBatches({ pool: context.pool, organizationId: id }, batchMax, work);

    total.idempotencyKeys += await inBatches(KEYS_PER_BATCH, deleteExpiredIdempotencyKeys);
    total.sessions += await inBatches(SESSIONS_PER_BATCH, deleteExpiredSessions);
    if (retention !== undefined) {
      total.runs += await inBatches(RUNS_PER_BATCH, (client, batch) =>
        deleteOldRuns(client, { ...batch, ...retention }),
      );
      total.snapshots += await inBatches(SNAPSHOTS_PER_BATCH, collectSnapshots);
    }
    organizationId = await nextOrganizationId(context.pool, id);
  }
  if (total.runs + total.snapshots + total.idempotencyKeys + total.sessions > 0)
    context.logger.info(total, "old data deleted");
  return total;
}

type BatchWork = (
  client: Parameters<typeof collectSnapshots>[0],
  batch: { organizationId: string; batchMax: number },
) => Promise<number>;

/** One transaction per batch, until a batch is not full. */
async function repeatBatches(
  { pool, organizationId }: { pool: HotPool; organizationId: string },
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
