// Everything that the benchmark knows about the product's tables. `before-after` uses each checkout's version of this file.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";

/** Runs that wait for a worker, failed ones not among them. */
export async function countWaiting(db: Client): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    "SELECT count(*)::int AS total FROM scan_payloads WHERE available_at IS NOT NULL",
  );
  return rows[0]?.total ?? 0;
}

/** Deletes what waits for a worker, if none runs; otherwise it would only grow. */
export async function clearWaiting(db: Client): Promise<void> {
  await db.query("TRUNCATE scan_payloads");
}

/** When the transaction committed that completed the run, in milliseconds of this machine's clock. */
export async function completedAt(db: Client, scanRunId: string): Promise<number> {
  const { rows } = await db.query<{ status: string; ms: string }>(
    "SELECT status, extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 AS ms FROM scan_runs WHERE id = $1",
    [scanRunId],
  );
  if (rows[0]?.status !== "completed") throw new Error(`the run is ${rows[0]?.status}`);
  return Number(rows[0].ms);
}

/** Data that the worker derives from services' histories and contents. */
export const DERIVED_KINDS = ["changes", "days", "totals", "rules", "words"] as const;
export type DerivedKind = (typeof DERIVED_KINDS)[number];

/** Services whose data of each kind is not derived yet; for totals, organizations. */
export async function countUnderived(db: Client): Promise<Record<DerivedKind, number>> {
  const { rows } = await db.query<Record<DerivedKind, number>>(
    `SELECT count(*) FILTER (WHERE NOT (kinds ? 'changes'))::int AS changes, count(*) FILTER (WHERE NOT (kinds ? 'days'))::int AS days,
            count(*) FILTER (WHERE NOT (kinds ? 'rules'))::int AS rules, count(*) FILTER (WHERE NOT is_indexed)::int AS words,
            (SELECT count(*)::int FROM stale_totals) AS totals
     FROM (
       SELECT (SELECT coalesce(jsonb_agg(d.kind), '[]') FROM service_derivations d
               WHERE d.organization_id = s.organization_id AND d.service_id = s.id AND d.history = s.history) AS kinds,
              EXISTS (SELECT FROM indexed_snapshots i
                      WHERE i.organization_id = s.organization_id AND i.snapshot_id = s.current_snapshot_id) AS is_indexed
       FROM services s WHERE s.current_snapshot_id IS NOT NULL) each`,
  );
  if (rows[0] === undefined) throw new Error("nothing was counted");
  return rows[0];
}

/** Rows ever inserted into any of the product's tables. Waits until every process has reported what it did. */
export async function countInsertedRows(db: Client): Promise<number> {
  // An idle process reports after ten seconds at the latest (PGSTAT_IDLE_INTERVAL).
  await sleep(11_000);
  const { rows } = await db.query<{ total: string }>(
    "SELECT sum(n_tup_ins) AS total FROM pg_stat_user_tables WHERE schemaname = 'public'",
  );
  return Number(rows[0]?.total);
}

/** The bytes of the rows that descriptions consist of, without indexes. */
export async function countDescriptionBytes(db: Client): Promise<number> {
  const { rows } = await db.query<{ total: string }>(
    `SELECT (SELECT coalesce(sum(pg_column_size(c)), 0) FROM description_chunks c)
          + (SELECT coalesce(sum(pg_column_size(d)), 0) FROM descriptions d)
          + (SELECT coalesce(sum(pg_column_size(l)), 0) FROM scan_run_descriptions l) AS total`,
  );
  return Number(rows[0]?.total);
}

/** Runs whose descriptions wait for their comparison. */
export async function countWaitingComparisons(db: Client): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    "SELECT count(*)::int AS total FROM scan_comparison_tasks",
  );
  return rows[0]?.total ?? 0;
}

/** All of the product's tables with their indexes and what lies out of line. */
export async function countBytesOnDisk(db: Client): Promise<number> {
  const { rows } = await db.query<{ total: string }>(
    "SELECT sum(pg_total_relation_size(relid)) AS total FROM pg_stat_user_tables WHERE schemaname = 'public'",
  );
  return Number(rows[0]?.total);
}

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const ROWS_PER_CHUNK = 8;

/** Stores endpoint rows as the worker does, made by the database itself: their ids are as random as hashes. */
export async function storeEndpointRows(
  db: Client,
  organizationId: string,
  range: { from: number; to: number },
): Promise<void> {
  const chunks = [range.from / ROWS_PER_CHUNK + 1, range.to / ROWS_PER_CHUNK];
  await db.query(
    `INSERT INTO chunk_endpoints (organization_id, chunk_id, ordinal, method, path, operation_id, tags, summary)
     SELECT $1, md5(c::text)::uuid, o, 'GET',
            '/v1/accounts/{id}/invoice-lines-' || o || '/{line_id}/' || c, 'getAccountInvoiceLine' || o,
            ARRAY['accounts', 'invoice-line'], 'Returns one invoice-line of an account with its total, number ' || o
     FROM generate_series($2::int, $3::int) c, generate_series(0, ${ROWS_PER_CHUNK - 1}) o`,
    [organizationId, ...chunks],
  );
  await db.query(
    `INSERT INTO chunks (organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count)
     SELECT $1, md5(c::text)::uuid, ${ROWS_PER_CHUNK}, 0, 0, 0, 0, 0 FROM generate_series($2::int, $3::int) c`,
    [organizationId, ...chunks],
  );
  await db.query("VACUUM (ANALYZE) chunk_endpoints");
  await db.query("CHECKPOINT");
}

/** Indexes the words of all current endpoints, and of those that `storeEndpointRows` stored. */
export async function indexEndpointRows(
  db: Client,
  organizationId: string,
  range: { from: number; to: number },
): Promise<void> {
  await db.query("SELECT set_config('waymark.organization_id', $1, false)", [organizationId]);
  await db.query("SELECT index_endpoint_words($1, $2, 100000)", [organizationId, NIL_UUID]);
  // These chunks have the same words but for their own number: splitting each row's text would take minutes.
  await db.query(
    `INSERT INTO chunk_words (organization_id, chunk_id, words)
     SELECT $1, md5(c::text)::uuid, common.words || words_of_texts(ARRAY[c::text], word_prefix($1))
     FROM generate_series($2::int, $3::int) c, (
       SELECT words_of_texts(array_agg(endpoint_text(e.method, e.path, e.operation_id) ORDER BY e.ordinal), word_prefix($1)) AS words
       FROM chunk_endpoints e
       WHERE e.organization_id = $1 AND e.chunk_id = md5($2::text)::uuid) common`,
    [organizationId, range.from / ROWS_PER_CHUNK + 1, range.to / ROWS_PER_CHUNK],
  );
  await db.query("VACUUM (ANALYZE) chunk_words");
}

const FINDINGS_EACH = 500;

/**
 * Stores services with 500 current findings each, as their scans would, and writes their rules as the worker does. A service breaks 20 of 60
 * rules, each with one severity. Methods and resources vary with the finding, so that no text is there twice.
 */
export async function storeCurrentFindings(
  db: Client,
  organizationId: string,
  { services }: { services: number },
): Promise<void> {
  await db.query("SELECT set_config('waymark.organization_id', $1, false)", [organizationId]);
  await storeFindingChunks(db, organizationId, services);
  await storeServicesOfChunks(db, organizationId, services);
  await db.query("VACUUM (ANALYZE) services, snapshots, chunks, chunk_findings, service_snapshots");
  await db.query("SELECT index_service_rules($1, $2, $3)", [organizationId, NIL_UUID, services]);
  await db.query("VACUUM (ANALYZE) service_rules");
  await db.query("CHECKPOINT");
}

async function storeFindingChunks(db: Client, organizationId: string, services: number): Promise<void> {
  await db.query(
    `INSERT INTO chunk_findings (organization_id, chunk_id, ordinal, code, severity, message, method, path)
     SELECT $1, md5('findings ' || s || ' ' || f / ${ROWS_PER_CHUNK})::uuid, f % ${ROWS_PER_CHUNK}, 'rule-' || rule,
            (ARRAY['info', 'low', 'medium', 'high', 'critical'])[rule % 5 + 1],
            method || ' ' || path || ' declares no ' || nouns[rule % 24 + 1] || ' for the ' || nouns[(rule + s) % 24 + 1], method, path
     FROM generate_series(1, $2::int) s, generate_series(0, ${FINDINGS_EACH - 1}) f,
          string_to_array($3, ' ') AS nouns,
          LATERAL (SELECT (s * 7 + f % 20) % 60 AS rule, (s * 31 + f * 17) % 24 AS a, (s + f * 5 + f / 24) % 24 AS b) picked,
          LATERAL (SELECT (ARRAY['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])[(s + f / 20) % 5 + 1] AS method,
                          '/v1/' || nouns[a + 1] || 's/{id}/' || nouns[b + 1] || 's/team-' || s || '/' || f AS path) made`,
    [organizationId, services, NOUNS],
  );
  await db.query(
    `INSERT INTO chunks (organization_id, id, endpoint_count, info_count, low_count, medium_count, high_count, critical_count)
     SELECT organization_id, chunk_id, 0, count(*) FILTER (WHERE severity = 'info'), count(*) FILTER (WHERE severity = 'low'),
            count(*) FILTER (WHERE severity = 'medium'), count(*) FILTER (WHERE severity = 'high'),
            count(*) FILTER (WHERE severity = 'critical')
     FROM chunk_findings WHERE organization_id = $1 GROUP BY organization_id, chunk_id`,
    [organizationId],
  );
}

async function storeServicesOfChunks(db: Client, organizationId: string, services: number): Promise<void> {
  await db.query(
    `WITH made AS (
       SELECT s, md5('service ' || s)::uuid AS id, md5('run ' || s)::uuid AS run, md5('content ' || s)::uuid AS snapshot
       FROM generate_series(1, $2::int) s
     ), contents AS (
       INSERT INTO snapshots
         (organization_id, id, endpoint_chunks, finding_chunks, endpoint_count, finding_count, findings_by_severity)
       SELECT $1, snapshot, '{}', ARRAY(
                SELECT md5('findings ' || s || ' ' || c)::uuid
                FROM generate_series(0, ${Math.ceil(FINDINGS_EACH / ROWS_PER_CHUNK) - 1}) c),
              0, ${FINDINGS_EACH}, '{}'
       FROM made
     ), stored AS (
       INSERT INTO services (organization_id, id, name, current_run_id, current_snapshot_id, current_ordered_at)
       SELECT $1, id, 'team-' || s, run, snapshot, now() FROM made
     )
     INSERT INTO service_snapshots (organization_id, service_id, snapshot_id, first_seen_at, last_seen_at)
     SELECT $1, id, snapshot, now(), now() FROM made`,
    [organizationId, services],
  );
}

const NOUNS =
  "account address agreement alert amount approval asset balance basket batch bill booking branch budget campaign capture card " +
  "carrier cart catalog channel charge claim contact";

/** Bytes of the endpoint rows and of their index, per row. */
export async function measureEndpointRows(db: Client): Promise<{ table: number; index: number }> {
  const { rows } = await db.query<{ table: number; index: number }>(
    `SELECT pg_table_size('chunk_endpoints')::float / count(*) AS table,
            pg_indexes_size('chunk_endpoints')::float / count(*) AS index FROM chunk_endpoints`,
  );
  if (rows[0] === undefined) throw new Error("the table has no size");
  return rows[0];
}

/** Stores so many runs that wait for a worker, each like the given one. */
export async function repeatJourneyRun(db: Client, runId: string, count: number): Promise<void> {
  await db.query(
    `WITH copies AS (
       INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision,
         artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract, created_by_key_id)
       SELECT organization_id, gen_random_uuid(), document_id, document_version, environment_id, environment_revision,
         artifact_hash, program_id, origin, trigger, 'queued', inputs, seed, strict_contract, created_by_key_id
       FROM journey_runs, generate_series(1, $2) WHERE id = $1
       RETURNING organization_id, id)
     INSERT INTO journey_run_tickets (organization_id, run_id, expires_at)
     SELECT organization_id, id, now() + interval '1 hour' FROM copies`,
    [runId, count],
  );
}

/** Runs of journeys that have not ended. */
export async function countUnfinishedJourneys(db: Client): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    "SELECT count(*)::int AS total FROM journey_run_tickets",
  );
  return rows[0]?.total ?? 0;
}

/** How runs of journeys ended, by status. Forgets them, because an organization starts 600 an hour. */
export async function takeEndedJourneys(db: Client): Promise<Record<string, number>> {
  const { rows } = await db.query<{ status: string; total: number }>(
    "SELECT status, count(*)::int AS total FROM journey_runs WHERE result_hash IS NOT NULL GROUP BY status",
  );
  for (const table of ["steps", "operations", "criteria"]) {
    await db.query(
      `DELETE FROM journey_run_${table} t USING journey_runs r
       WHERE r.organization_id = t.organization_id AND r.id = t.run_id AND r.result_hash IS NOT NULL`,
    );
  }
  await db.query("DELETE FROM journey_runs WHERE result_hash IS NOT NULL");
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]));
}
