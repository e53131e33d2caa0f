import type { PoolClient } from "pg";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { findApiKeyFamily, revokeApiKeys } from "../revocation/queries.ts";

/**
 * Ends what a policy has issued: its keys, the keys that these created, and so on.
 *
 * @returns the ids of the keys that were active
 */
export async function revokeIssuedKeys(
  tx: DatabaseTransactionConnection,
  { organizationId, trustPolicyId }: { organizationId: string; trustPolicyId: string },
): Promise<readonly string[]> {
  const issued = await tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM api_keys
    WHERE organization_id = ${organizationId} AND trust_policy_id = ${trustPolicyId}
      AND revoked_at IS NULL AND expires_at > now()`);
  const apiKeyIds = await findApiKeyFamily(tx, { organizationId, apiKeyIds: issued });
  return revokeApiKeys(tx, { organizationId, apiKeyIds });
}

/**
 * Remembers a token until it expires.
 *
 * @returns false if it was exchanged before
 */
export async function insertExchangedToken(
  tx: DatabaseTransactionConnection,
  token: { organizationId: string; tokenHash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    INSERT INTO exchanged_tokens (organization_id, token_hash, expires_at)
    VALUES (${token.organizationId}, ${sql.binary(token.tokenHash)}, ${token.expiresAt.toISOString()})
    ON CONFLICT DO NOTHING`);
  return rowCount > 0;
}

/** Deletes tokens that have expired. @returns how many; `batchMax` means that there may be more */
export async function deleteExpiredTokens(
  client: PoolClient,
  { organizationId, batchMax }: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM exchanged_tokens
     WHERE organization_id = $1 AND token_hash = ANY (ARRAY(
       SELECT token_hash FROM exchanged_tokens WHERE organization_id = $1 AND expires_at <= now() LIMIT $2
     ))`,
    [organizationId, batchMax],
  );
  return rowCount ?? 0;
}

/** Days after its end for which an issued key is kept, so that runs and the audit record can be traced to it. */
const ISSUED_KEPT_DAYS = 30;

/** Deletes issued keys that ended long ago. @returns how many; `batchMax` means that there may be more */
export async function deleteOldIssuedKeys(
  client: PoolClient,
  { organizationId, batchMax }: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rows } = await client.query("SELECT delete_issued_keys($1, $2, $3) AS deleted", [
    organizationId,
    ISSUED_KEPT_DAYS,
    batchMax,
  ]);
  return z.tuple([z.object({ deleted: z.number() })]).parse(rows)[0].deleted;
}
