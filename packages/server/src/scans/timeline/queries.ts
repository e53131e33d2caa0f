import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { TimePosition } from "../../lib/cursor.ts";
import { exactTime, isBefore } from "../queries.ts";
import { StoredSource } from "../../lib/stored-source.ts";

/** How many runs one page looks at. Most scans of a service repeat the last one. */
const EXAMINED_MAX = 500;

const ChangedRunRow = z.object({
  id: z.string(),
  scanned_at: z.string(),
  created_by_key_id: z.string(),
  source: StoredSource,
  endpoint_count: z.number(),
  finding_count: z.number(),
  /** The run before it; null for the first. */
  against: z.string().nullable(),
  changed: z.boolean(),
  is_last_examined: z.boolean(),
  exact_ordered_at: z.string(),
});
export type ChangedRun = Omit<
  z.infer<typeof ChangedRunRow>,
  "changed" | "is_last_examined" | "exact_ordered_at"
>;

export interface ChangedRunPage {
  runs: readonly ChangedRun[];
  /** Where the next page begins; null if this is the last one. A page can be shorter than its limit, or empty, before others. */
  nextAfter: TimePosition | null;
}

/** The runs in a service's history whose content or description differs from that of the run before, newest first. */
export async function listChangedRuns(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; serviceId: string; limit: number; after: TimePosition | null },
): Promise<ChangedRunPage> {
  const { organizationId, serviceId, limit, after } = options;
  const rows = await db.any(sql.type(ChangedRunRow)`
    WITH examined AS (
      SELECT r.*
      FROM service_history(${organizationId}, ${serviceId}) r
      WHERE true ${isBefore(after)}
      ORDER BY r.ordered_at DESC, r.id DESC
      -- The last one only says whether the one after it changed something.
      LIMIT ${EXAMINED_MAX + 1}
    ), compared AS (
      SELECT examined.*, lead(id) OVER newest AS against, row_number() OVER newest AS position, count(*) OVER () AS count,
             snapshot_id IS DISTINCT FROM lead(snapshot_id) OVER newest
               OR coalesce(canonical_hash <> lead(canonical_hash) OVER newest, false) AS changed
      FROM examined
      LEFT JOIN LATERAL description_of_run(${organizationId}, examined.id) described ON true
      WINDOW newest AS (ORDER BY ordered_at DESC, id DESC)
    ), numbered AS (
      SELECT *, position = ${EXAMINED_MAX} AND count > ${EXAMINED_MAX} AS is_last_examined FROM compared
    )
    SELECT n.id, r.ordered_at AS scanned_at, r.created_by_key_id, r.source, n.endpoint_count, n.finding_count, n.against, n.changed, n.is_last_examined,
           ${exactTime(sql.fragment`n.ordered_at`)} AS exact_ordered_at
    FROM numbered n
    JOIN scan_runs r ON r.organization_id = ${organizationId} AND r.id = n.id
    WHERE n.position <= ${EXAMINED_MAX} AND (n.changed OR n.is_last_examined)
    ORDER BY n.position
    LIMIT ${limit + 1}`);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit || last?.is_last_examined === true;
  return {
    runs: page.filter(({ changed }) => changed),
    nextAfter: hasMore && last !== undefined ? [last.exact_ordered_at, last.id] : null,
  };
}
