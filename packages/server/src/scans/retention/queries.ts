import type { Pool, PoolClient, QueryConfig } from "pg";

const COLLECT_CHUNKS_MS_MAX = 300_000;

/** The next organization after this one; null after the last. Start with the nil UUID. */
export async function nextOrganizationId(pool: Pool, after: string): Promise<string | null> {
  const { rows } = await pool.query<{ id: string | null }>("SELECT next_organization_id($1) AS id", [after]);
  return rows[0]?.id ?? null;
}

/**
 * Deletes completed and failed runs that are older than `keepDays`, not among their service's last `keepRuns`, not current, and no part
 * of its last change.
 *
 * @returns how many; `batchMax` means that there may be more
 */
export async function deleteOldRuns(
  client: PoolClient,
  options: { organizationId: string; keepDays: number; keepRuns: number; batchMax: number },
): Promise<number> {
  const { rows } = await client.query<{ deleted: number }>(
    "SELECT delete_old_scan_runs($1, $2, $3, $4) AS deleted",
    [options.organizationId, options.keepDays, options.keepRuns, options.batchMax],
  );
  return rows[0]?.deleted ?? 0;
}

/** Deletes snapshots older than a day that no run refers to. @returns how many; `batchMax` means there may be more */
export async function collectSnapshots(
  client: PoolClient,
  options: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rows } = await client.query<{ deleted: number }>("SELECT collect_snapshots($1, $2) AS deleted", [
    options.organizationId,
    options.batchMax,
  ]);
  return rows[0]?.deleted ?? 0;
}

/**
 * Deletes chunks that neither a snapshot nor an unfinished run refers to, with their rows. It reads all chunk lists of the
 * organization, so it has a longer time limit than other statements.
 *
 * @returns how many; `batchMax` means that there may be more
 */
export function collectChunks(
  client: PoolClient,
  options: { organizationId: string; batchMax: number },
): Promise<number> {
  return collectParts(client, "collect_chunks", options);
}

/** Deletes chunks of descriptions that no description has, as `collectChunks` does. */
export function collectDescriptionChunks(
  client: PoolClient,
  options: { organizationId: string; batchMax: number },
): Promise<number> {
  return collectParts(client, "collect_description_chunks", options);
}

async function collectParts(
  client: PoolClient,
  collect: "collect_chunks" | "collect_description_chunks",
  options: { organizationId: string; batchMax: number },
): Promise<number> {
  await client.query(`SET LOCAL statement_timeout = ${COLLECT_CHUNKS_MS_MAX}`);
  const statement: QueryConfig & { query_timeout: number } = {
    text: `SELECT ${collect}($1, $2) AS deleted`,
    values: [options.organizationId, options.batchMax],
    query_timeout: COLLECT_CHUNKS_MS_MAX + 5_000,
  };
  const { rows } = await client.query<{ deleted: number }>(statement);
  return rows[0]?.deleted ?? 0;
}

/** Deletes descriptions that no run has. @returns how many; `batchMax` means that there may be more */
export async function collectDescriptions(
  client: PoolClient,
  options: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rows } = await client.query<{ deleted: number }>("SELECT collect_descriptions($1, $2) AS deleted", [
    options.organizationId,
    options.batchMax,
  ]);
  return rows[0]?.deleted ?? 0;
}

/** Deletes idempotency keys after 24 hours. @returns how many; `batchMax` means that there may be more */
export async function deleteExpiredIdempotencyKeys(
  client: PoolClient,
  options: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rowCount } = await client.query(
    // An array is made once. A joined subquery may be executed several times, and lock other keys each time.
    `DELETE FROM idempotency_keys
     WHERE organization_id = $1 AND key = ANY (ARRAY(
       SELECT key FROM idempotency_keys
       WHERE organization_id = $1 AND created_at <= now() - interval '24 hours'
       LIMIT $2
       FOR UPDATE SKIP LOCKED))`,
    [options.organizationId, options.batchMax],
  );
  return rowCount ?? 0;
}
