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

export interface AcceptQuery {
  name: string;
  /** Gives a row for each accepted run; one whose `createdAt` is null was not accepted. */
  text: string;
  values: unknown[];
}

/**
 * The same query with what it accepts counted in its transaction: it fails as a whole where a limit is exceeded (see
 * `usageLimitError`), and its rows carry the `usage` of the day. Unchanged where the organization has no limit.
 *
 * @param runs of one organization
 * @param place what says which of them a row is of, from 1 on
 */
export function countUsage(
  runs: readonly { organizationId: string; counted: CountedScan | null }[],
  query: AcceptQuery,
  place: "1" | "a.place",
): AcceptQuery {
  const [first] = runs;
  if (first === undefined || first.counted === null) return query;
  const n = query.values.length;
  return {
    name: `${query.name}_counted`,
    text: `WITH accepted AS MATERIALIZED (${query.text}),
                taken AS MATERIALIZED (
                  SELECT count(*) AS scans, coalesce(sum(b.bytes), 0)::bigint AS bytes
                  FROM accepted a
                  JOIN unnest($${n + 2}::bigint[]) WITH ORDINALITY AS b (bytes, place) ON b.place = ${place}
                  WHERE a."createdAt" IS NOT NULL),
                counted AS MATERIALIZED (
                  SELECT json_build_object('scans', c.scans, 'bytes', c.bytes, 'resetSeconds', c.reset_seconds) AS usage
                  FROM taken t
                  CROSS JOIN LATERAL count_accepted_scans($${n + 1}, t.scans, t.bytes, $${n + 3}, $${n + 4}) c)
           SELECT a.*, (SELECT usage FROM counted) AS usage FROM accepted a`,
    values: [
      ...query.values,
      first.organizationId,
      runs.map((run) => run.counted?.bytes ?? 0),
      first.counted.scansMax,
      first.counted.bytesMax,
    ],
  };
}

/** What the statement of `countUsage` failed with, where it was a limit; undefined for everything else. */
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
