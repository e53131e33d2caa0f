import { DatabaseError } from "pg";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const USAGE_LIMIT_EXCEEDED = "WM002";

/** The usage of an organization: its scans that were accepted today (UTC). */
const DayUsage = z.object({
  scans: z.number(),
  /** The size of the decoded bodies. */
  bytes: z.number(),
  /** Seconds until the end of the day by the database's clock. */
  resetSeconds: z.number(),
});
export type DayUsage = z.infer<typeof DayUsage>;

/** A scan's share of its organization's daily usage, and the limits. A null limit means no limit. */
export interface CountedScan {
  bytes: number;
  scansMax: number | null;
  bytesMax: number | null;
}

/** A daily limit would be exceeded. Nothing was stored. */
export class UsageLimitExceeded extends Error {
  override readonly name = "UsageLimitExceeded";
  /** The usage without the refused scan. */
  readonly usage: DayUsage;

  constructor(usage: DayUsage, options: { cause: unknown }) {
    super("a limit of the organization per day is exceeded", options);
    this.usage = usage;
  }
}

/** Converts an error of accepting a scan, if a daily limit caused it; otherwise undefined. */
export function usageLimitError(error: unknown): UsageLimitExceeded | undefined {
  if (!(error instanceof DatabaseError) || error.code !== USAGE_LIMIT_EXCEEDED) return undefined;
  return new UsageLimitExceeded(DayUsage.parse(JSON.parse(error.detail ?? "")), { cause: error });
}

/** An organization's usage today, if it is counted, and the time until the end of the day. */
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
