import { query } from "@waymark/test-support/sql.ts";

const TABLES = {
  services: "organization_id, id",
  scan_runs: "organization_id, id",
  snapshots: "organization_id, id",
  chunks: "organization_id, id",
  chunk_endpoints: "organization_id, chunk_id, ordinal",
  chunk_findings: "organization_id, chunk_id, ordinal",
  service_snapshots: "organization_id, service_id, snapshot_id",
  scan_payloads: "organization_id, scan_run_id",
};

/** A hash of every row of each table. If two are equal, nothing was changed, added or removed. */
export async function storedState(database: { databaseUrl: string }): Promise<Record<string, string>> {
  const hashes = Object.entries(TABLES).map(
    ([table, order]) => `SELECT '${table}' AS name,
       count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' ORDER BY ${order})), '') AS hash FROM ${table} t`,
  );
  const rows = await query<{ name: string; hash: string }>(database, hashes.join(" UNION ALL "));
  return Object.fromEntries(rows.map((row) => [row.name, row.hash]));
}
