import { DEMO_KEYS } from "./demo-keys.ts";

interface Connection {
  query: (text: string, values?: unknown[]) => Promise<unknown>;
}

/** The moment that the pictures show. */
export const NOW = "2026-10-30T08:00:00Z";

/**
 * Ages what was made a moment ago: each service's runs lie up to two days apart and end shortly before NOW, so that
 * the pictures have the same dates whenever they are taken.
 */
export async function ageData(db: Connection): Promise<void> {
  await db.query("BEGIN");
  await db.query(
    `UPDATE scan_runs r
     SET created_at = aged.at, ordered_at = aged.at,
         completed_at = CASE WHEN r.completed_at IS NOT NULL THEN aged.at + interval '1 second' END
     FROM (
       SELECT organization_id, id, service_id,
              $1::timestamptz - make_interval(
                hours => (row_number() OVER newest - 1)::int * 31 + (row_number() OVER newest * 11 % 17)::int,
                mins => 11 + (dense_rank() OVER (ORDER BY service_id))::int * 37) AS at
       FROM scan_runs
       WINDOW newest AS (PARTITION BY service_id ORDER BY created_at DESC, id DESC)
     ) aged
     WHERE aged.organization_id = r.organization_id AND aged.id = r.id`,
    [NOW],
  );
  await db.query(
    `UPDATE services s SET created_at = r.first, current_ordered_at = c.ordered_at
     FROM (SELECT service_id, min(created_at) AS first FROM scan_runs GROUP BY service_id) r
     JOIN services o ON o.id = r.service_id
     LEFT JOIN scan_runs c ON c.id = o.current_run_id
     WHERE s.id = o.id`,
  );
  await db.query(
    `UPDATE service_snapshots n SET first_seen_at = r.first, last_seen_at = r.last
     FROM (SELECT service_id, snapshot_id, min(ordered_at) AS first, max(ordered_at) AS last
           FROM scan_runs GROUP BY service_id, snapshot_id) r
     WHERE n.service_id = r.service_id AND n.snapshot_id = r.snapshot_id`,
  );
  await countDays(db);
  await ageKeys(db);
  await ageJourneys(db);
  await db.query("COMMIT");
}

/** The totals of the days before NOW, as a worker would have written them. */
async function countDays(db: Connection): Promise<void> {
  await db.query("DELETE FROM daily_totals");
  await db.query(
    `INSERT INTO daily_totals (organization_id, day, service_count, endpoint_count, info, low, medium, high, critical)
     SELECT s.organization_id, d.at::date, count(*), sum(n.endpoint_count), sum((n.findings_by_severity->>'info')::int),
            sum((n.findings_by_severity->>'low')::int), sum((n.findings_by_severity->>'medium')::int),
            sum((n.findings_by_severity->>'high')::int), sum((n.findings_by_severity->>'critical')::int)
     FROM generate_series($1::timestamptz - interval '89 days', $1::timestamptz - interval '1 day', '1 day') AS d (at)
     CROSS JOIN services s
     CROSS JOIN LATERAL (
       SELECT r.snapshot_id FROM scan_runs r
       WHERE r.service_id = s.id AND r.status = 'completed' AND r.promote AND r.created_at <= d.at
       ORDER BY r.created_at DESC
       LIMIT 1) r
     JOIN snapshots n ON n.organization_id = s.organization_id AND n.id = r.snapshot_id
     GROUP BY 1, 2`,
    [NOW],
  );
}

async function ageKeys(db: Connection): Promise<void> {
  await db.query("UPDATE api_keys SET created_at = '2026-01-12 09:30+00', last_used_at = $1", [NOW]);
  for (const [index, key] of DEMO_KEYS.entries()) {
    await db.query(
      `UPDATE api_keys
       SET created_at = '2026-02-01 10:00+00'::timestamptz + make_interval(days => $2::int * 17),
           expires_at = $3::timestamptz, last_used_at = $4::timestamptz
       WHERE name = $1`,
      [key.name, index, key.expires, key.used],
    );
  }
}

/** Moves everything of journeys and environments into the hour before NOW. Triggers keep what is stored from being changed. */
async function ageJourneys(db: Connection): Promise<void> {
  await db.query("SET LOCAL session_replication_role = replica");
  await db.query(
    `DO $aged$
     DECLARE v_column record;
     BEGIN
       FOR v_column IN
         SELECT table_name, column_name FROM information_schema.columns
         WHERE table_schema = 'public' AND data_type = 'timestamp with time zone'
           AND table_name ~ '^(journey|environment|build|audit)' AND column_name !~ '^next_'
       LOOP
         EXECUTE format('UPDATE %1$I SET %2$I = %2$I - (now() - timestamptz %3$L - interval ''-20 minutes'')',
                        v_column.table_name, v_column.column_name, '${NOW}');
       END LOOP;
     END
     $aged$`,
  );
}
