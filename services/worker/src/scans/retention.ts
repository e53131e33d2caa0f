import { deleteExpiredSessions } from "@waymark/shared/api-keys/sessions/queries.ts";
import { withOrganizationClient } from "@waymark/shared/db/organization.ts";
import type { PgPool } from "@waymark/shared/db/pool.ts";
import type { Logger } from "@waymark/shared/lib/logger.ts";
import {
  collectChunks,
  collectSnapshots,
  deleteExpiredIdempotencyKeys,
  deleteOldRuns,
  nextOrganizationId,
} from "@waymark/shared/scans/retention/queries.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
/** Small transactions, so that none holds its locks for long. */
const RUNS_PER_BATCH = 500;
const SNAPSHOTS_PER_BATCH = 100;
const KEYS_PER_BATCH = 1000;
const SESSIONS_PER_BATCH = 1000;
/** Each batch reads all chunk lists of the organization, so it is large: about 40,000 rows. */
const CHUNKS_PER_BATCH = 5000;

/** The runs to keep: those of the last `keepDays` days, and the last `keepRuns` of each service. */
export interface Retention {
  keepDays: number;
  keepRuns: number;
}

/** How much was deleted, by kind. */
export interface DeletedData {
  runs: number;
  snapshots: number;
  chunks: number;
  idempotencyKeys: number;
  sessions: number;
}

/**
 * Deletes expired data, one organization after another: idempotency keys after a day, sessions after their lifetime, and,
 * if retention is configured, old runs and unreferenced content.
 */
export async function deleteOldData(
  context: { pool: PgPool; logger: Logger },
  retention: Retention | undefined,
): Promise<DeletedData> {
  const total: DeletedData = { runs: 0, snapshots: 0, chunks: 0, idempotencyKeys: 0, sessions: 0 };
  let organizationId = await nextOrganizationId(context.pool, NIL_UUID);
  while (organizationId !== null) {
    const target = { pool: context.pool, organizationId };
    total.idempotencyKeys += await inBatches(target, KEYS_PER_BATCH, deleteExpiredIdempotencyKeys);
    total.sessions += await inBatches(target, SESSIONS_PER_BATCH, deleteExpiredSessions);
    if (retention !== undefined) await deleteOldScans(target, retention, total);
    organizationId = await nextOrganizationId(context.pool, organizationId);
  }
  if (Object.values(total).some((count) => count > 0)) context.logger.info(total, "old data deleted");
  return total;
}

interface Target {
  pool: PgPool;
  organizationId: string;
}

async function deleteOldScans(target: Target, retention: Retention, total: DeletedData): Promise<void> {
  const runs = await inBatches(target, RUNS_PER_BATCH, (client, batch) =>
    deleteOldRuns(client, { ...batch, ...retention }),
  );
  const snapshots = await inBatches(target, SNAPSHOTS_PER_BATCH, collectSnapshots);
  total.runs += runs;
  total.snapshots += snapshots;
  // A chunk loses its last reference with a snapshot or a failed run. If a round is interrupted, the next round that
  // deletes something collects the remaining chunks.
  if (runs + snapshots > 0) total.chunks += await inBatches(target, CHUNKS_PER_BATCH, collectChunks);
}

type BatchWork = (
  client: Parameters<typeof collectSnapshots>[0],
  batch: { organizationId: string; batchMax: number },
) => Promise<number>;

/** One transaction per batch, until a batch is not full. */
async function inBatches(
  { pool, organizationId }: Target,
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
