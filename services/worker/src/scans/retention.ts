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
/** Small transactions: none of them holds its locks for long. */
const RUNS_PER_BATCH = 500;
const SNAPSHOTS_PER_BATCH = 100;
const KEYS_PER_BATCH = 1000;
const SESSIONS_PER_BATCH = 1000;
/** Each batch reads all lists of the organization, so it is a large one: about 40,000 rows. */
const CHUNKS_PER_BATCH = 5000;

/** What is kept at least: runs of the last `keepDays` days, and the last `keepRuns` of each service. */
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
 * Deletes what nobody needs any more, organization by organization: idempotency keys after their day, sessions
 * after their lifetime, and with a retention also old runs and the content that no run refers to.
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
  // Chunks lose their last reference with a snapshot, or with a failed run. Those that an interrupted pass leaves behind go
  // with the next one that deletes something.
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
