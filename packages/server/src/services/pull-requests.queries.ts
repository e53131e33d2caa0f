import { type DatabaseTransactionConnection, sql } from "slonik";
import { RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import {
  PULL_REQUEST_RUNS_MAX,
  PULL_REQUESTS_MAX,
  ScannedPullRequest,
} from "@waymark/shared/services/pull-requests/schema.ts";
import { ScanSource } from "@waymark/shared/scans/source/schema.ts";
import { z } from "zod";
import { isAmong } from "../db/is-among.ts";
import { namesOfFailedGates } from "../db/stored-gates.ts";
import { StoredSource } from "../lib/stored-source.ts";

const Row = ScannedPullRequest.omit({ ownerTeam: true, comparison: true }).extend({
  source: StoredSource.pipe(ScanSource),
  count: z.number(),
});

/** A row without what other queries read. */
type LastRun = Omit<ScannedPullRequest, "ownerTeam" | "comparison">;

/**
 * Lists the last scan of each pull request of the last days, for each service, the newest first; and how many there are. A pull request whose last
 * scan was promoted is left out, as a merged one.
 *
 * @param visible.serviceIds null for all services
 */
export async function listPullRequests(
  db: DatabaseTransactionConnection,
  { organizationId, serviceIds }: { organizationId: string; serviceIds: readonly string[] | null },
): Promise<{ runs: LastRun[]; count: number }> {
  const rows = await db.any(sql.type(Row)`
    WITH last AS (
      SELECT s.id AS service_id, s.name AS service_name, r.*
      FROM services s
      CROSS JOIN LATERAL (
        SELECT DISTINCT ON (recent.source->>'pullRequest') recent.id AS scan_run_id, recent.source, recent.gates, recent.ordered_at, recent.promote
        FROM (
          SELECT id, source, gates, ordered_at, promote
          FROM scan_runs
          WHERE organization_id = ${organizationId} AND service_id = s.id AND status = 'completed'
            AND ordered_at > now() - ${RECENT_DAYS} * interval '1 day'
          ORDER BY ordered_at DESC, id DESC
          LIMIT ${PULL_REQUEST_RUNS_MAX}
        ) recent
        WHERE recent.source->>'pullRequest' IS NOT NULL
        ORDER BY recent.source->>'pullRequest', recent.ordered_at DESC, recent.id DESC
      ) r
      WHERE s.organization_id = ${organizationId} AND s.archived_at IS NULL AND ${isAmong(sql.fragment`s.id`, serviceIds)} AND NOT r.promote
    )
    SELECT l.service_id AS "serviceId", l.service_name AS "serviceName", l.source->>'pullRequest' AS "pullRequest",
           l.scan_run_id AS "scanRunId", l.source, l.ordered_at AS "scannedAt", ${namesOfFailedGates(sql.fragment`l.gates`)} AS "failedGates",
           count(*) OVER ()::int AS count
    FROM last l
    ORDER BY l.ordered_at DESC, l.scan_run_id DESC
    LIMIT ${PULL_REQUESTS_MAX}`);
  let total = 0;
  const runs = rows.map(({ count, ...run }) => {
    total = count;
    return run;
  });
  return { runs, count: total };
}
