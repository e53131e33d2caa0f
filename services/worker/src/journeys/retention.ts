import { deleteOfJourneys } from "@waymark/server/journey-runs/retention/queries.ts";
import { inBatches, type RetentionTarget } from "../lib/in-batches.ts";

/** A run has up to 1,100 steps. */
const RUNS_PER_BATCH = 20;
const BUILDS_PER_BATCH = 100;

/** For how many days what of a run is kept, counted from its end. */
export interface JourneyRetention {
  evidenceDays: number;
  resultDays: number;
  runDays: number;
}

/** The numbers of runs of which something was deleted, and of deleted builds. */
export interface DeletedJourneyData {
  journeyEvidence: number;
  journeyResults: number;
  journeyRuns: number;
  journeyBuilds: number;
}

/** Deletes what is too old of the runs of one organization, in the order in which less and less is left of a run. */
export async function deleteOldJourneyData(
  target: RetentionTarget,
  { evidenceDays, resultDays, runDays }: JourneyRetention,
): Promise<DeletedJourneyData> {
  const deleted = (
    what: Parameters<typeof deleteOfJourneys>[1],
    keepDays: number,
    batchMax = RUNS_PER_BATCH,
  ) => inBatches(target, batchMax, (client, batch) => deleteOfJourneys(client, what, { ...batch, keepDays }));
  return {
    journeyEvidence: await deleted("evidence", evidenceDays),
    journeyResults: await deleted("results", resultDays),
    journeyRuns: await deleted("runs", runDays),
    journeyBuilds: await deleted("builds", runDays, BUILDS_PER_BATCH),
  };
}
