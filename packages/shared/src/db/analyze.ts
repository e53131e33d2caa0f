import type { Pool } from "pg";

/** Has Postgres look at tables that have grown and that it knows nothing of yet. Nothing to do nearly always. */
export async function analyzeGrownTables(pool: Pool): Promise<void> {
  await pool.query("SELECT analyze_grown_tables()");
}
