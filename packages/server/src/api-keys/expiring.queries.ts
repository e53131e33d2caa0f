import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

const ExpiringKeyRow = z.object({
  apiKeyId: z.string(),
  name: z.string(),
  prefix: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.string().nullable(),
  count: z.number(),
});

/** Usable keys that expire within `days`, the first one first, at most `limit`; and how many there are. */
export async function listExpiringKeys(
  db: DatabaseTransactionConnection,
  { organizationId, days, limit }: { organizationId: string; days: number; limit: number },
): Promise<{ keys: readonly z.infer<typeof ExpiringKeyRow>[]; count: number }> {
  const rows = await db.any(sql.type(ExpiringKeyRow)`
    SELECT id AS "apiKeyId", name, prefix, expires_at AS "expiresAt", last_used_at AS "lastUsedAt", count(*) OVER ()::int AS count
    FROM api_keys
    WHERE organization_id = ${organizationId} AND revoked_at IS NULL AND disabled_at IS NULL
      AND expires_at > now() AND expires_at < now() + ${days} * interval '1 day'
    ORDER BY expires_at, id
    LIMIT ${limit}`);
  return { keys: rows, count: rows[0]?.count ?? 0 };
}
