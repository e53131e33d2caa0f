import { randomUUID } from "node:crypto";
import { generateApiKey } from "@waymark/shared/api-keys/key-format.ts";
import { query } from "./sql.ts";
import type { Stack } from "./stack.ts";

type Scope = string | ({ permission: string } & Record<string, unknown>);

interface KeyStates {
  expiresAt?: Date;
  revoked?: boolean;
  disabled?: boolean;
  allowedNetworks?: string[];
  stored?: boolean;
}

/**
 * Puts a key straight into the database, in any state, also those that the interface can't make: expired, or known to nobody.
 *
 * @returns the raw key
 */
export async function createKey(
  stack: Pick<Stack, "databaseUrl" | "organizationId">,
  scopes: readonly Scope[],
  options: KeyStates = {},
): Promise<string> {
  const { rawKey, prefix, secretHash } = generateApiKey();
  if (options.stored === false) return rawKey;
  await query(
    stack,
    `INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, owner_principal_type, scopes,
                           expires_at, revoked_at, disabled_at, allowed_networks)
     VALUES ($1, $2, 'test', $3, $4, 'service_account', $5, $6, CASE WHEN $7 THEN now() END,
             CASE WHEN $8 THEN now() END, $9)`,
    [
      stack.organizationId,
      randomUUID(),
      prefix,
      secretHash,
      JSON.stringify(scopes.map((scope) => (typeof scope === "string" ? { permission: scope } : scope))),
      options.expiresAt ?? null,
      options.revoked === true,
      options.disabled === true,
      options.allowedNetworks ?? null,
    ],
  );
  return rawKey;
}
