import { DEMO_KEYS } from "./demo-keys.ts";

interface Connection {
  query: (text: string, values?: unknown[]) => Promise<unknown>;
}

/** The moment that the pictures show. */
const NOW = "2026-10-30 08:00+00";

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
  await ageKeys(db);
  await db.query("COMMIT");
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
