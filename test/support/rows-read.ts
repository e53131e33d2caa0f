import { query } from "./sql.ts";

interface RowsRead {
  /** By table. */
  inSequence: Record<string, number>;
  byIndex: Record<string, number>;
}

/**
 * Counts the rows that one connection reads in a database without other clients.
 *
 * @param options `flush` runs `SELECT pg_stat_force_next_flush()` on that connection
 */
export async function countRowsRead(
  database: { databaseUrl: string },
  { flush, work }: { flush: () => Promise<unknown>; work: () => Promise<unknown> },
): Promise<RowsRead> {
  const readCounters = async () => {
    // Postgres counts the test's own earlier reads and writes once its connection flushes its statistics.
    await query(database, "SELECT pg_stat_force_next_flush()");
    await flush();
    const inSequence = "relname AS name, seq_tup_read::int AS rows FROM pg_stat_user_tables";
    const byIndex = "indexrelname AS name, idx_tup_read::int AS rows FROM pg_stat_user_indexes";
    return { inSequence: await readCounts(inSequence), byIndex: await readCounts(byIndex) };
  };
  const readCounts = async (columns: string) => {
    const rows = await query<{ name: string; rows: number }>(database, `SELECT ${columns}`);
    return new Map(rows.map((row) => [row.name, row.rows]));
  };
  const before = await readCounters();
  await work();
  const after = await readCounters();
  return {
    inSequence: difference(after.inSequence, before.inSequence),
    byIndex: difference(after.byIndex, before.byIndex),
  };
}

function difference(
  after: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): Record<string, number> {
  const counts = [...after].map(([name, rows]) => [name, rows - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, rows]) => rows > 0));
}
