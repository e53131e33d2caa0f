import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { text } from "@waymark/shared/lib/schema.ts";
import { TODAY } from "../db/today.ts";
import { CHUNK_ITEMS_MAX } from "./content/cut-chunks.ts";
import { EndpointItem } from "./content/queries.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { HttpMethod, NormalizedFinding, type ServiceEndpoint } from "@waymark/shared/scans/schema.ts";

const ServiceEndpointRow = EndpointItem.extend({
  occurrence: z.number(),
  firstSeenAt: z.string(),
  lastSeenAt: z.string(),
});

/** The position of an endpoint among those of a service: by path, then method. A description can have one twice. */
export const EndpointPosition = z.strictObject({
  path: text({ max: SCAN_LIMITS.pathMax }),
  method: HttpMethod,
  occurrence: z.int().min(1).max(SCAN_LIMITS.endpointsMax),
});
export type EndpointPosition = z.infer<typeof EndpointPosition>;

/**
 * Lists the endpoints of a service's current run by path and method, with their positions; up to `limit + 1`. When they were
 * seen is computed from every stored content of the service's history, so the cost grows with the number of its changes.
 */
// oxlint-disable-next-line max-lines-per-function -- one statement
export async function listServiceEndpoints(
  db: DatabaseTransactionConnection,
  page: { organizationId: string; serviceId: string; limit: number; after: EndpointPosition | null },
): Promise<{ position: EndpointPosition; endpoint: ServiceEndpoint }[]> {
  const { organizationId, serviceId, limit, after } = page;
  const isLeft =
    after === null
      ? sql.fragment`true`
      : sql.fragment`(path COLLATE "C", method COLLATE "C", occurrence) > (${after.path}, ${after.method}, ${after.occurrence})`;
  const rows = await db.any(sql.type(ServiceEndpointRow)`
    WITH current AS MATERIALIZED (
      SELECT e.method, e.path, e.operation_id AS "operationId", e.tags, e.summary,
             row_number() OVER (PARTITION BY e.path COLLATE "C", e.method COLLATE "C" ORDER BY c.n, e.ordinal)::int AS occurrence
      FROM services s
      JOIN snapshots n ON n.organization_id = s.organization_id AND n.id = s.current_snapshot_id
      CROSS JOIN LATERAL unnest(n.endpoint_chunks) WITH ORDINALITY AS c (id, n)
      CROSS JOIN LATERAL (
        SELECT i.* FROM chunk_endpoints i
        WHERE i.organization_id = ${organizationId} AND i.chunk_id = c.id
        LIMIT ${CHUNK_ITEMS_MAX}) e
      WHERE s.organization_id = ${organizationId} AND s.id = ${serviceId}
    ), page AS MATERIALIZED (
      SELECT * FROM current
      WHERE ${isLeft}
      ORDER BY path COLLATE "C", method COLLATE "C", occurrence
      LIMIT ${limit + 1}
    ), seen_chunks AS MATERIALIZED (
      -- A chunk is in many contents, and read once.
      SELECT c.id, min(seen.first_seen_at) AS first_seen_at, max(seen.last_seen_at) AS last_seen_at
      FROM service_snapshots seen
      CROSS JOIN LATERAL (
        SELECT unnest(i.endpoint_chunks) AS id FROM snapshots i
        WHERE i.organization_id = ${organizationId} AND i.id = seen.snapshot_id) c
      WHERE seen.organization_id = ${organizationId} AND seen.service_id = ${serviceId}
      GROUP BY c.id
    ), timed AS (
      -- A window, because a join of the two would be a nested loop when statistics are missing: 3 s for 2,000 endpoints.
      SELECT item.*, min(seen_from) OVER same AS "firstSeenAt", max(seen_until) OVER same AS "lastSeenAt"
      FROM (
        SELECT p.*, NULL::timestamptz AS seen_from, NULL::timestamptz AS seen_until FROM page p
        UNION ALL
        SELECT o.method, o.path, NULL, NULL, NULL, NULL, c.first_seen_at, c.last_seen_at
        FROM seen_chunks c
        CROSS JOIN LATERAL (
          SELECT i.method, i.path FROM chunk_endpoints i
          WHERE i.organization_id = ${organizationId} AND i.chunk_id = c.id
          LIMIT ${CHUNK_ITEMS_MAX}) o
      ) item
      WINDOW same AS (PARTITION BY path COLLATE "C", method COLLATE "C")
    )
    SELECT method, path, "operationId", tags, summary, occurrence,
           least("firstSeenAt", k.first_seen_at) AS "firstSeenAt", "lastSeenAt"
    FROM timed
    LEFT JOIN LATERAL (
      SELECT i.first_seen_at FROM seen_items i
      WHERE i.organization_id = ${organizationId} AND i.service_id = ${serviceId} AND i.item = endpoint_key(method, path)
      LIMIT 1) k ON true
    WHERE occurrence IS NOT NULL
    ORDER BY path COLLATE "C", method COLLATE "C", occurrence`);
  return rows.map(({ occurrence, ...endpoint }) => ({
    position: { path: endpoint.path, method: endpoint.method, occurrence },
    endpoint,
  }));
}

const SeenFindingRow = z.object(NormalizedFinding.shape).extend({
  firstSeenAt: z.string(),
  lastSeenAt: z.string(),
  dueOn: z.string().nullable(),
  isPastDue: z.boolean(),
});

type SeenFinding = { finding: NormalizedFinding } & Pick<
  z.infer<typeof SeenFindingRow>,
  "firstSeenAt" | "lastSeenAt" | "dueOn" | "isPastDue"
>;

/**
 * A completed run's finding by its place in submitted order, from 0; null if there is none. Like the endpoints', its times are
 * computed from every stored content of the service's history. Only findings of a service's current run have a deadline; `isPastDue` is true if it
 * has passed, also for a decided finding.
 */
// oxlint-disable-next-line max-lines-per-function -- one statement
export async function findSeenFinding(
  db: DatabaseTransactionConnection,
  options: { organizationId: string; scanRunId: string; index: number },
): Promise<SeenFinding | null> {
  const { organizationId, scanRunId, index } = options;
  const row = await db.maybeOne(sql.type(SeenFindingRow)`
    WITH one AS MATERIALIZED (
      SELECT r.id AS run_id, r.service_id, r.ordered_at, i.code, i.severity, i.message, i.method, i.path
      FROM scan_runs r
      JOIN snapshots n ON n.organization_id = r.organization_id AND n.id = r.snapshot_id
      CROSS JOIN LATERAL unnest(n.finding_chunks) WITH ORDINALITY AS c (id, n)
      CROSS JOIN LATERAL (
        SELECT * FROM chunk_findings f
        WHERE f.organization_id = ${organizationId} AND f.chunk_id = c.id
        ORDER BY f.ordinal
        LIMIT ${CHUNK_ITEMS_MAX}) i
      WHERE r.organization_id = ${organizationId} AND r.id = ${scanRunId}
      ORDER BY c.n, i.ordinal
      OFFSET ${index} LIMIT 1
    ), seen_chunks AS MATERIALIZED (
      SELECT c.id, min(seen.first_seen_at) AS first_seen_at, max(seen.last_seen_at) AS last_seen_at
      FROM one
      JOIN service_snapshots seen ON seen.organization_id = ${organizationId} AND seen.service_id = one.service_id
      CROSS JOIN LATERAL (
        SELECT unnest(i.finding_chunks) AS id FROM snapshots i
        WHERE i.organization_id = ${organizationId} AND i.id = seen.snapshot_id) c
      GROUP BY c.id
    )
    SELECT one.code, one.severity, one.message, one.method, one.path,
           first.seen_at AS "firstSeenAt", coalesce(seen.last_seen_at, one.ordered_at) AS "lastSeenAt",
           due.day::text AS "dueOn", coalesce(due.day < ${TODAY}, false) AS "isPastDue"
    FROM one
    CROSS JOIN LATERAL (
      SELECT min(c.first_seen_at) AS first_seen_at, max(c.last_seen_at) AS last_seen_at
      FROM seen_chunks c
      CROSS JOIN LATERAL (
        SELECT i.code, i.message, i.method, i.path FROM chunk_findings i
        WHERE i.organization_id = ${organizationId} AND i.chunk_id = c.id
        LIMIT ${CHUNK_ITEMS_MAX}) other
      WHERE other.code = one.code AND other.message = one.message
        AND other.method IS NOT DISTINCT FROM one.method AND other.path IS NOT DISTINCT FROM one.path) seen
    LEFT JOIN seen_items k ON k.organization_id = ${organizationId} AND k.service_id = one.service_id
      AND k.item = finding_key(one.code, one.message, one.method, one.path)
    -- A run that was not promoted can have a finding that the service never had.
    CROSS JOIN LATERAL (SELECT coalesce(least(seen.first_seen_at, k.first_seen_at), one.ordered_at) AS seen_at) first
    LEFT JOIN LATERAL (
      SELECT (first.seen_at AT TIME ZONE 'UTC')::date + d.days AS day
      FROM services s
      JOIN finding_deadlines(${organizationId}) d ON d.severity = one.severity
      WHERE s.organization_id = ${organizationId} AND s.id = one.service_id AND s.current_run_id = one.run_id AND s.archived_at IS NULL
    ) due ON true`);
  if (row === null) return null;
  const { firstSeenAt, lastSeenAt, dueOn, isPastDue, ...finding } = row;
  return { finding, firstSeenAt, lastSeenAt, dueOn, isPastDue };
}
