import {
  deleteExpiredTokens,
  deleteOldIssuedKeys,
} from "@waymark/server/api-keys/trust-policies/issued.queries.ts";
import { deleteExpiredSessions } from "@waymark/server/api-keys/sessions/queries.ts";
import type { PgPool } from "@waymark/server/db/pool.ts";
import { deleteOldTicks } from "@waymark/server/journey-schedules/work.queries.ts";
import { deleteEndedSnoozes } from "@waymark/server/services/snoozes.queries.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import { deleteExpiredIdempotencyKeys } from "@waymark/server/scans/retention/queries.ts";
import {
  type DeletedJourneyData,
  deleteOldJourneyData,
  type JourneyRetention,
} from "../journeys/retention.ts";
import { eachOrganization } from "../lib/each-organization.ts";
import { inBatches } from "../lib/in-batches.ts";
import { type DeletedScanData, deleteOldScans, type ScanRetention } from "../scans/retention.ts";

const KEYS_PER_BATCH = 1000;
const SESSIONS_PER_BATCH = 1000;
const TOKENS_PER_BATCH = 1000;
const TICKS_PER_BATCH = 1000;
const SNOOZES_PER_BATCH = 1000;

/** How long what is kept. */
export interface Retention {
  /** Undefined keeps every scan. */
  scans: ScanRetention | undefined;
  journeys: JourneyRetention;
}

/** Says in words which scan runs will be deleted. */
export function describeRetention({ scans }: Retention): string {
  if (scans === undefined) return "every scan run is kept, because RETENTION_DAYS is off";
  return (
    `scan runs older than ${scans.keepDays} days are deleted (RETENTION_DAYS), except for the last ${scans.keepRuns} ` +
    "of each service (RETENTION_RUNS), its current one and its last change"
  );
}

/** How much was deleted, by kind. */
export interface DeletedData extends DeletedScanData, DeletedJourneyData {
  idempotencyKeys: number;
  sessions: number;
  exchangedTokens: number;
  issuedKeys: number;
  journeyTicks: number;
  snoozes: number;
}

const NOTHING: Readonly<DeletedData> = {
  runs: 0,
  snapshots: 0,
  chunks: 0,
  descriptions: 0,
  descriptionChunks: 0,
  idempotencyKeys: 0,
  sessions: 0,
  exchangedTokens: 0,
  issuedKeys: 0,
  journeyTicks: 0,
  snoozes: 0,
  journeyEvidence: 0,
  journeyResults: 0,
  journeyRuns: 0,
  journeyBuilds: 0,
};

/** Every kind of deleted data by its label in the metric. */
export const DELETED_KINDS = new Map<keyof DeletedData, string>([
  ["runs", "runs"],
  ["snapshots", "snapshots"],
  ["chunks", "chunks"],
  ["descriptions", "descriptions"],
  ["descriptionChunks", "description_chunks"],
  ["idempotencyKeys", "idempotency_keys"],
  ["sessions", "sessions"],
  ["exchangedTokens", "exchanged_tokens"],
  ["issuedKeys", "issued_keys"],
  ["journeyTicks", "journey_ticks"],
  ["snoozes", "snoozes"],
  ["journeyEvidence", "journey_evidence"],
  ["journeyResults", "journey_results"],
  ["journeyRuns", "journey_runs"],
  ["journeyBuilds", "journey_builds"],
]);

/**
 * Deletes expired data, one organization after another: idempotency keys after a day, sessions and exchanged tokens after their lifetime,
 * issued keys 30 days after theirs, ticks of schedules after 90 days, snoozes when their time is over, old results of journeys, the
 * content of deleted services, and old scans. A fault of one organization is logged and ends its turn, and no others.
 */
export async function deleteOldData(
  context: { pool: PgPool; logger: Logger },
  retention: Retention,
): Promise<DeletedData> {
  const total = { ...NOTHING };
  const add = (deleted: Partial<DeletedData>) => {
    for (const kind of DELETED_KINDS.keys()) total[kind] += deleted[kind] ?? 0;
  };
  for await (const organizationId of eachOrganization(context.pool)) {
    const target = { pool: context.pool, organizationId };
    try {
      add({ idempotencyKeys: await inBatches(target, KEYS_PER_BATCH, deleteExpiredIdempotencyKeys) });
      add({ sessions: await inBatches(target, SESSIONS_PER_BATCH, deleteExpiredSessions) });
      add({ exchangedTokens: await inBatches(target, TOKENS_PER_BATCH, deleteExpiredTokens) });
      add({ issuedKeys: await inBatches(target, TOKENS_PER_BATCH, deleteOldIssuedKeys) });
      add({ journeyTicks: await inBatches(target, TICKS_PER_BATCH, deleteOldTicks) });
      add({ snoozes: await inBatches(target, SNOOZES_PER_BATCH, deleteEndedSnoozes) });
      add(await deleteOldJourneyData(target, retention.journeys));
      add(await deleteOldScans(target, retention.scans));
    } catch (error) {
      context.logger.error({ err: error, organizationId }, "old data could not be deleted");
    }
  }
  if (Object.values(total).some((count) => count > 0)) context.logger.info(total, "old data deleted");
  return total;
}
