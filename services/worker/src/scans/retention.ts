import {
  collectChunks,
  collectDescriptionChunks,
  collectDescriptions,
  collectSnapshots,
  deleteOldRuns,
} from "@waymark/server/scans/retention/queries.ts";
import { withOrganizationClient } from "@waymark/server/db/organization.ts";
import { forgetDeletedServices, listDeletedServices } from "@waymark/server/services/lifecycle.queries.ts";
import { inBatches, type RetentionTarget } from "../lib/in-batches.ts";

/** Small transactions, so that none holds its locks for long. */
const RUNS_PER_BATCH = 500;
const SNAPSHOTS_PER_BATCH = 100;
/** Each batch reads all chunk lists of the organization, so it is large: about 40,000 rows. */
const CHUNKS_PER_BATCH = 5000;

/** The runs to keep: those of the last `keepDays` days, and the last `keepRuns` of each service. */
export interface ScanRetention {
  keepDays: number;
  keepRuns: number;
}

/** How much was deleted, by kind. */
export interface DeletedScanData {
  runs: number;
  snapshots: number;
  chunks: number;
  descriptions: number;
  descriptionChunks: number;
}

const NOTHING: DeletedScanData = { runs: 0, snapshots: 0, chunks: 0, descriptions: 0, descriptionChunks: 0 };
const DAY_MS = 24 * 3600 * 1000;

/**
 * Deletes old scan runs of one organization, and content that nothing refers to any more.
 *
 * @param retention undefined keeps every run; then only the content of deleted services is collected
 */
export async function deleteOldScans(
  target: RetentionTarget,
  retention: ScanRetention | undefined,
): Promise<DeletedScanData> {
  const { pool, organizationId } = target;
  // Content is collected when it is a day old: this round collects what services had that were deleted before.
  const deletedBefore = new Date(Date.now() - 2 * DAY_MS);
  const deletedServices = await withOrganizationClient(pool, organizationId, (client) =>
    listDeletedServices(client, { organizationId, deletedBefore }),
  );
  if (retention === undefined && deletedServices.length === 0) return NOTHING;
  const finished = deletedServices.filter(({ isFinished }) => isFinished);
  const runs =
    retention === undefined
      ? 0
      : await inBatches(target, RUNS_PER_BATCH, (client, batch) =>
          deleteOldRuns(client, { ...batch, ...retention }),
        );
  const snapshots = await inBatches(target, SNAPSHOTS_PER_BATCH, collectSnapshots);
  // A chunk loses its last reference with a snapshot or a failed run. If a round is interrupted, the next round that
  // deletes something collects the remaining chunks.
  const isUnused = runs + snapshots + finished.length > 0;
  const chunks = isUnused ? await inBatches(target, CHUNKS_PER_BATCH, collectChunks) : 0;
  const descriptions = await inBatches(target, SNAPSHOTS_PER_BATCH, collectDescriptions);
  const descriptionChunks =
    runs + descriptions + finished.length > 0
      ? await inBatches(target, CHUNKS_PER_BATCH, collectDescriptionChunks)
      : 0;
  if (finished.length > 0) {
    const serviceIds = finished.map(({ serviceId }) => serviceId);
    await withOrganizationClient(pool, organizationId, (client) =>
      forgetDeletedServices(client, { organizationId, serviceIds }),
    );
  }
  return { runs, snapshots, chunks, descriptions, descriptionChunks };
}
