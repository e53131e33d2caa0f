import type { Pool } from "pg";

/** Has Postgres look at tables that have grown and that it knows nothing of yet. Nothing to do nearly always. */
export async function analyzeGrownTables(pool: Pool): Promise<void> {
  for (let isLeft = true; isLeft;) {
    const { rows } = await pool.query<{ isLeft: boolean }>('SELECT analyze_grown_table() AS "isLeft"');
    isLeft = rows[0]?.isLeft ?? false;
  }
}
