import { DatabaseError } from "pg";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const USAGE_LIMIT_EXCEEDED = "WM002";

/** What an organization had accepted on this day (UTC). */
const DayUsage = z.object({
  scans: z.number(),
  /** Of decoded bodies. */
  bytes: z.number(),
  /** Until the day ends by the database's clock. */
  resetSeconds: z.number(),
});
export type DayUsage = z.infer<typeof DayUsage>;

/** What a scan counts for in its organization's day. A null limit is none. */
export interface CountedScan {
  bytes: number;
  scansMax: number | null;
  bytesMax: number | null;
}

/** A limit per day would be exceeded, and nothing was stored. */
export class UsageLimitExceeded extends Error {
  override readonly name = "UsageLimitExceeded";
  /** Without the scan that was refused. */
  readonly usage: DayUsage;

  constructor(usage: DayUsage, options: { cause: unknown }) {
    super("a limit of the organization per day is exceeded", options);
    this.usage = usage;
  }
}

/** What accepting a scan failed with, where it was a limit per day; undefined for everything else. */
export function usageLimitError(error: unknown): UsageLimitExceeded | undefined {
  if (!(error instanceof DatabaseError) || error.code !== USAGE_LIMIT_EXCEEDED) return undefined;
  return new UsageLimitExceeded(DayUsage.parse(JSON.parse(error.detail ?? "")), { cause: error });
}

/** What an organization had accepted today, where that is counted, and how long today is. */
export async function findDayUsage(
  tx: DatabaseTransactionConnection,
  organizationId: string,
): Promise<DayUsage> {
  const row = await tx.one(sql.type(
    z.object({ scans: z.number(), bytes: z.number(), reset_seconds: z.number() }),
  )`
    SELECT coalesce(u.scans, 0)::float8 AS scans, coalesce(u.bytes, 0)::float8 AS bytes,
           ceil(extract(epoch FROM date_trunc('day', today.now) + interval '1 day' - today.now))::integer
             AS reset_seconds
    FROM (SELECT now() AT TIME ZONE 'UTC' AS now) today
    LEFT JOIN organization_usage u ON u.organization_id = ${organizationId} AND u.day = today.now::date`);
  return { scans: row.scans, bytes: row.bytes, resetSeconds: row.reset_seconds };
}
