import type { Pool, PoolClient } from "pg";
import type { ComparedTexts } from "../../lib/stored-verdicts.ts";

/** A claimed comparison. `attempt` counts the claims: a worker with an older number can't write. */
export interface ComparisonTask {
  organizationId: string;
  scanRunId: string;
  attempt: number;
  /** How often it was requested. */
  requested: number;
}

/** The texts to compare. Hashes are those of descriptions, in hexadecimal digits. */
export interface ComparisonWork {
  base: { scanRunId: string; orderedAt: string; hash: string };
  headHash: string;
  /** The day as of which rules judge, as `YYYY-MM-DD`. */
  today: string;
}

/** Claims a comparison that is due, of the next organization after one, in a cycle. Undefined if none is due. */
export async function claimComparison(
  pool: Pool,
  { afterOrganizationId, leaseMs }: { afterOrganizationId: string; leaseMs: number },
): Promise<ComparisonTask | undefined> {
  const { rows } = await pool.query<{
    organization_id: string;
    scan_run_id: string;
    attempt: number;
    requested: number;
  }>({
    name: "claim_comparison",
    text: "SELECT * FROM claim_comparison($1, $2 * interval '1 ms')",
    values: [afterOrganizationId, leaseMs],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { organization_id: organizationId, scan_run_id: scanRunId, attempt, requested } = row;
  return { organizationId, scanRunId, attempt, requested };
}

/** Finds the texts to compare for a run. Undefined if there is nothing to compare, or these rules or newer ones have compared it. */
export async function findComparisonWork(
  client: PoolClient,
  { organizationId, scanRunId }: ComparisonTask,
  engine: number,
): Promise<ComparisonWork | undefined> {
  const { rows } = await client.query<{
    base_run_id: string;
    base_ordered_at: string;
    base_hash: Buffer;
    head_hash: Buffer;
    today: string;
  }>("SELECT * FROM find_comparison_work($1, $2, $3)", [organizationId, scanRunId, engine]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const base = {
    scanRunId: row.base_run_id,
    orderedAt: row.base_ordered_at,
    hash: row.base_hash.toString("hex"),
  };
  return { base, headHash: row.head_hash.toString("hex"), today: row.today };
}

/** Returns the compressed chunks of a description's text, in order. */
export async function readDescriptionText(
  client: PoolClient,
  { organizationId, hash }: { organizationId: string; hash: string },
): Promise<Buffer[]> {
  const { rows } = await client.query<{ bytes: Buffer }>(
    `SELECT c.bytes
     FROM descriptions d
     CROSS JOIN LATERAL unnest(d.chunks) WITH ORDINALITY AS named (id, n)
     JOIN LATERAL (
       SELECT k.bytes FROM description_chunks k WHERE k.organization_id = d.organization_id AND k.id = named.id LIMIT 1) c ON true
     WHERE d.organization_id = $1 AND d.hash = decode($2, 'hex')
     ORDER BY named.n`,
    [organizationId, hash],
  );
  return rows.map(({ bytes }) => bytes);
}

/** How a comparison ended: with verdicts, or without. */
export type ComparisonOutcome = ComparedTexts | "too_large" | "failed";

/** The comparison of a run by rules of a version. */
interface FinishedComparison {
  work: ComparisonWork;
  outcome: ComparisonOutcome;
  engine: number;
}

/**
 * Stores a comparison and ends its task; without one, only ends the task. If the comparison was requested again since it was claimed, or
 * another run is before the run now, the task stays and is due at once.
 *
 * @returns false if another worker has claimed it since
 */
export async function finishComparison(
  client: PoolClient,
  task: ComparisonTask,
  done: FinishedComparison | undefined,
): Promise<boolean> {
  const { organizationId, scanRunId, attempt, requested } = task;
  const outcome = done?.outcome;
  const compared = typeof outcome === "object" ? outcome : undefined;
  const { rows } = await client.query<{ finished: boolean }>(
    `SELECT finish_comparison($1, $2, $3, $4,
       ROW($1, $2, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, now())::scan_comparisons) AS finished`,
    [
      organizationId,
      scanRunId,
      attempt,
      requested,
      done?.work.base.scanRunId ?? null,
      done?.work.base.orderedAt ?? null,
      compared === undefined ? outcome : "compared",
      done?.engine ?? 0,
      compared?.counts.breaking ?? 0,
      compared?.counts.maybe ?? 0,
      compared?.counts.safe ?? 0,
      JSON.stringify(compared?.notCompared ?? []),
      compared?.verdictCount ?? 0,
      (compared?.verdictParts ?? []).map((part) => Buffer.from(part)),
      compared?.fingerprints ?? [],
    ],
  );
  const isFinished = rows[0]?.finished ?? false;
  if (isFinished) await client.query("SELECT mark_breaks_stale($1, $2)", [organizationId, scanRunId]);
  return isFinished;
}

/** Makes a comparison due after some time: at the end of a lease, or of a pause. Does nothing if another worker has claimed it since. */
export async function deferComparison(
  client: PoolClient,
  { organizationId, scanRunId, attempt }: ComparisonTask,
  ms: number,
): Promise<void> {
  await client.query(
    `UPDATE scan_comparison_tasks SET available_at = now() + $4 * interval '1 ms'
     WHERE organization_id = $1 AND scan_run_id = $2 AND attempts = $3`,
    [organizationId, scanRunId, attempt, ms],
  );
}

/** Gives a comparison back that this worker does not end. The attempt doesn't count. */
export async function releaseComparison(
  client: PoolClient,
  { organizationId, scanRunId, attempt }: ComparisonTask,
): Promise<void> {
  await client.query(
    `UPDATE scan_comparison_tasks SET available_at = now(), attempts = attempts - 1
     WHERE organization_id = $1 AND scan_run_id = $2 AND attempts = $3`,
    [organizationId, scanRunId, attempt],
  );
}
