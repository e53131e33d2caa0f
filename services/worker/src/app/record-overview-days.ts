import { awaitDatabase } from "@waymark/server/db/await-database.ts";
import {
  createDatabasePool,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type PgPool,
} from "@waymark/server/db/pool.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { readCoverage, sharesOf } from "@waymark/server/journey-coverage/read/read-coverage.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import {
  countServiceNumbers,
  recordOverviewDay,
  takeTurnToRecord,
} from "@waymark/server/services/overview-days.queries.ts";
import { listConcerns } from "@waymark/server/services/overview.queries.ts";
import { JOURNEY_COVERAGE_LIMITS } from "@waymark/shared/journey-coverage/limits.ts";
import type { OverviewDay } from "@waymark/shared/services/overview/schema.ts";
import { eachOrganization } from "../lib/each-organization.ts";
import { repeat } from "../lib/repeat.ts";

/** How often a worker looks whether it is its turn, at the least. */
const CHECK_MS = 60_000;
/** How old the numbers of a day may be at its end. */
const RECORD_MS = 1_800_000;
const DAY_MS = 86_400_000;
const NOT_RECORDED = "the numbers of the overview could not be recorded";
const NO_COVERAGE = "the overview's day is recorded without its coverage, which could not be counted";

interface Surroundings {
  pool: PgPool;
  databaseUrl: string;
  logger: Logger;
  housekeepingMs: number;
}

/**
 * Records for each organization the numbers that its overview begins with, about every half an hour: those of the last time on a day stay.
 * The workers take turns, so that each number is counted once.
 */
export async function startRecordingOverviewDays({
  pool,
  databaseUrl,
  logger,
  housekeepingMs,
}: Surroundings): Promise<{
  close: () => Promise<void>;
}> {
  const db = await awaitDatabase(
    () => createDatabasePool(databaseUrl, { max: 1, applicationName: "waymark-worker" }),
    logger,
  );
  const closing = new AbortController();
  const recording = repeat(() => recordAll({ pool, db, logger }, closing.signal), {
    everyMs: Math.min(CHECK_MS, housekeepingMs),
    onError: (error) => logger.error({ err: error }, NOT_RECORDED),
  });
  return {
    async close() {
      closing.abort();
      await recording.stop();
      await db.end();
    },
  };
}

/** A fault of one organization leaves its numbers as they are until the next time, and no others. */
async function recordAll(
  { pool, db, logger }: Pick<Surroundings, "pool" | "logger"> & { db: DatabasePool },
  closing: AbortSignal,
): Promise<void> {
  for await (const organizationId of eachOrganization(pool)) {
    if (closing.aborted) return;
    const report = (message: string) => (error: unknown) =>
      logger.error({ err: error, organizationId }, message);
    const options = { organizationId, everyMs: RECORD_MS, onFault: report(NO_COVERAGE) };
    await recordToday(db, options).catch(report(NOT_RECORDED));
  }
}

/**
 * Records the numbers of an organization as its overview and its coverage show them. Returns false if it is not this worker's turn.
 *
 * @param options.onFault is told why the coverage could not be counted; the other numbers are recorded without it
 */
export function recordToday(
  db: DatabasePool,
  {
    organizationId,
    everyMs,
    onFault,
  }: { organizationId: string; everyMs: number; onFault: (error: unknown) => void },
): Promise<boolean> {
  return withOrganization(db, organizationId, async (tx) => {
    if (!(await takeTurnToRecord(tx, { organizationId, everyMs }))) return false;
    const visible = { organizationId, serviceIds: null };
    const { counts } = await listConcerns(tx, { ...visible, rows: 1 });
    const { breakingServiceCount, gateFailureCount } = await countServiceNumbers(tx, { ...visible, counts });
    // In a transaction of its own within this one: a coverage that takes too long would fail at each turn, and undo what is counted.
    const coverage = await tx
      .transaction((inner) => readCoverageNumbers(inner, organizationId))
      .catch((error: unknown) => {
        onFault(error);
        return { mustCriteria: null, endpoints: null };
      });
    await recordOverviewDay(tx, { organizationId, breakingServiceCount, gateFailureCount, ...coverage });
    return true;
  });
}

async function readCoverageNumbers(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<Pick<OverviewDay, "mustCriteria" | "endpoints">> {
  const since = new Date(Date.now() - JOURNEY_COVERAGE_LIMITS.windowDaysDefault * DAY_MS).toISOString();
  const whole = await readCoverage(
    tx,
    { organizationId, since, environmentId: null, origin: null, serviceId: null, journeyIds: null },
    {
      service: null,
      severity: null,
      view: { journeyIds: null, serviceIds: null, onlyWhatRan: false },
      onlyTotals: true,
    },
  );
  const { must, operations } = sharesOf(whole);
  return { mustCriteria: must, endpoints: operations };
}
