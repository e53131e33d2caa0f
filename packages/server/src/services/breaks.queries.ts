import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { type DailyBreaks, HISTORY_DAYS } from "@waymark/shared/services/overview/schema.ts";
import type { PgClient } from "../db/pool.ts";
import { TODAY } from "../db/today.ts";
import { deriveBatch, type DerivationBatch, type DerivedBatch } from "../lib/derivation.ts";

const BreaksRow = z.object({
  day: z.string(),
  breaking: z.number(),
  compared: z.number(),
  not_compared: z.number(),
});

/** Returns the recorded breaks of the last days with runs, oldest first. */
export async function listDailyBreaks(
  db: DatabaseTransactionConnection,
  { organizationId }: { organizationId: string },
): Promise<DailyBreaks[]> {
  const rows = await db.any(sql.type(BreaksRow)`
    SELECT day::text AS day, breaking, compared, not_compared
    FROM daily_breaks
    WHERE organization_id = ${organizationId} AND day > ${TODAY} - ${HISTORY_DAYS}::int
      AND compared + not_compared > 0
    ORDER BY day`);
  return rows.map(({ day, breaking, compared, not_compared }) => {
    return { day, breakingChanges: breaking, comparedRuns: compared, notComparedRuns: not_compared };
  });
}

/** Counts the days of services again on which runs, comparisons or approvals have changed. */
export function recordServiceBreaks(client: PgClient, batch: DerivationBatch): Promise<DerivedBatch> {
  return deriveBatch(client, "record_service_breaks", batch);
}
