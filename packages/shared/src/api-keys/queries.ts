import type { Pool } from "pg";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { ApiKeyScope } from "./schema.ts";

const ApiKeyRow = z.object({
  organization_id: z.string(),
  id: z.string(),
  secret_hash: z.instanceof(Buffer),
  scopes: z.array(ApiKeyScope),
  expires_at: z.date().nullable(),
  revoked_at: z.date().nullable(),
});
export type ApiKeyRow = z.infer<typeof ApiKeyRow>;

/** The key with this prefix in whichever organization, by one indexed query. */
export async function findApiKeyByPrefix(pool: Pool, prefix: string): Promise<ApiKeyRow | undefined> {
  const { rows } = await pool.query({
    name: "find_api_key",
    text: "SELECT organization_id, id, secret_hash, scopes, expires_at, revoked_at FROM find_api_key($1)",
    values: [prefix],
  });
  return rows[0] === undefined ? undefined : ApiKeyRow.parse(rows[0]);
}

export interface NewApiKey {
  organizationId: string;
  id: string;
  name: string;
  prefix: string;
  secretHash: Buffer;
  ownerPrincipalType: "user" | "service_account";
  ownerPrincipalId: string | null;
  createdBy: string | null;
  scopes: ApiKeyScope[];
  expiresAt: string | null;
}

export async function insertApiKey(db: CommonQueryMethods, key: NewApiKey): Promise<void> {
  await db.query(sql.type(z.object({}))`
    INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, owner_principal_type,
                          owner_principal_id, created_by, scopes, expires_at)
    VALUES (${key.organizationId}, ${key.id}, ${key.name}, ${key.prefix}, ${sql.binary(key.secretHash)},
            ${key.ownerPrincipalType}, ${key.ownerPrincipalId}, ${key.createdBy},
            ${sql.jsonb(key.scopes)}, ${key.expiresAt})`);
}
