import type { Pool, PoolClient } from "pg";
import { SIGN_IN_LIMITS } from "@waymark/shared/principals/sign-in/schema.ts";
import { z } from "zod";
import { CHECKED_COLUMNS, CheckedKeyRow } from "../queries.ts";

const SessionRow = CheckedKeyRow.extend({
  session_expires_at: z.date(),
  session_expired: z.boolean(),
  session_idle: z.boolean(),
  session_touch_due: z.boolean(),
  session_recent: z.boolean(),
  session_identity_provider_id: z.string().nullable(),
});
export type SessionRow = z.infer<typeof SessionRow>;

/** Finds the session with this token hash in any organization, with the key's current state: one indexed query. */
export async function findSession(
  pool: Pool,
  { tokenHash, idleSeconds }: { tokenHash: Buffer; idleSeconds: number },
): Promise<SessionRow | undefined> {
  const { rows } = await pool.query({
    name: "find_session",
    text: `SELECT ${CHECKED_COLUMNS}, session_expires_at, session_expires_at <= now() AS session_expired,
                  session_last_seen_at <= now() - $2 * interval '1 second' AS session_idle,
                  session_last_seen_at <= now() - interval '1 minute' AS session_touch_due,
                  session_authenticated_at > now() - $3 * interval '1 minute' AS session_recent,
                  session_identity_provider_id
           FROM find_session($1) CROSS JOIN LATERAL find_api_key(session_key_prefix)`,
    values: [tokenHash, idleSeconds, SIGN_IN_LIMITS.recentMinutes],
  });
  return rows[0] === undefined ? undefined : SessionRow.parse(rows[0]);
}

/** Locks a key's row, so that sessions of one key open one after the other. */
export async function lockSessionKey(
  client: PoolClient,
  { organizationId, apiKeyId }: { organizationId: string; apiKeyId: string },
): Promise<void> {
  await client.query("SELECT FROM api_keys WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE", [
    organizationId,
    apiKeyId,
  ]);
}

/** Stores a session. @returns when it expires */
export async function insertSession(
  client: PoolClient,
  session: {
    organizationId: string;
    apiKeyId: string;
    tokenHash: Buffer;
    lifetimeSeconds: number;
    /** Undefined for a session that was opened with the key. */
    byProvider:
      | { identityProviderId: string; providerSession: string | null; authenticatedAt: Date }
      | undefined;
  },
): Promise<Date> {
  const { organizationId, tokenHash, apiKeyId, lifetimeSeconds, byProvider } = session;
  const { rows } = await client.query(
    `INSERT INTO sessions (organization_id, token_hash, api_key_id, expires_at, identity_provider_id, provider_session,
                           authenticated_at)
     VALUES ($1, $2, $3, now() + $4 * interval '1 second', $5, $6, least(coalesce($7, now()), now()))
     RETURNING expires_at`,
    [
      organizationId,
      tokenHash,
      apiKeyId,
      lifetimeSeconds,
      byProvider?.identityProviderId ?? null,
      byProvider?.providerSession ?? null,
      byProvider?.authenticatedAt ?? null,
    ],
  );
  return z.tuple([z.object({ expires_at: z.date() })]).parse(rows)[0].expires_at;
}

/** Ends the older sessions of a key. */
export async function deleteOlderSessions(
  client: PoolClient,
  { organizationId, apiKeyId, keep }: { organizationId: string; apiKeyId: string; keep: number },
): Promise<void> {
  await client.query(
    `DELETE FROM sessions
     WHERE organization_id = $1 AND token_hash IN (
       SELECT token_hash FROM sessions
       WHERE organization_id = $1 AND api_key_id = $2
       ORDER BY created_at DESC, token_hash
       OFFSET $3
     )`,
    [organizationId, apiKeyId, keep],
  );
}

/** Ends the sessions with these token hashes, in any organization. Unknown hashes are ignored. */
export async function endSessions(
  connection: Pool | PoolClient,
  tokenHashes: readonly Buffer[],
): Promise<void> {
  if (tokenHashes.length > 0) await connection.query("SELECT end_sessions($1)", [tokenHashes]);
}

/** Records in one statement that sessions were used, except those recorded within the last minute. */
export async function updateSessionsLastUsed(pool: Pool, tokenHashes: readonly Buffer[]): Promise<void> {
  await pool.query({ name: "touch_sessions", text: "SELECT touch_sessions($1)", values: [tokenHashes] });
}

/** Deletes expired sessions. @returns how many; `batchMax` means that there may be more */
export async function deleteExpiredSessions(
  client: PoolClient,
  { organizationId, batchMax }: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM sessions
     WHERE organization_id = $1 AND token_hash IN (
       SELECT token_hash FROM sessions WHERE organization_id = $1 AND expires_at <= now() LIMIT $2
     )`,
    [organizationId, batchMax],
  );
  return rowCount ?? 0;
}
