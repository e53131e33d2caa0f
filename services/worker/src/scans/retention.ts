import {
  collectChunks,
  collectDescriptionChunks,
  collectDescriptions,
  collectSnapshots,
  deleteOldRuns,
} from "@waymark/server/scans/retention/queries.ts";
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

/** Deletes old scan runs of one organization, and content that nothing refers to any more. */
export async function deleteOldScans(
  target: RetentionTarget,
  retention: ScanRetention,
): Promise<DeletedScanData> {
  const runs = await inBatches(target, RUNS_PER_BATCH, (client, batch) =>
    deleteOldRuns(client, { ...batch, ...retention }),
  );
  const snapshots = await inBatches(target, SNAPSHOTS_PER_BATCH, collectSnapshots);
  // A chunk loses its last reference with a snapshot or a failed run. If a round is interrupted, the next round that
  // deletes something collects the remaining chunks.
  const chunks = runs + snapshots > 0 ? await inBatches(target, CHUNKS_PER_BATCH, collectChunks) : 0;
  const descriptions = await inBatches(target, SNAPSHOTS_PER_BATCH, collectDescriptions);
  const descriptionChunks =
    runs + descriptions > 0 ? await inBatches(target, CHUNKS_PER_BATCH, collectDescriptionChunks) : 0;
  return { runs, snapshots, chunks, descriptions, descriptionChunks };
}
