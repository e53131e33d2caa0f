import { randomUUID } from "node:crypto";
import { generateApiKey } from "@waymark/server/api-keys/key-format.ts";
import { query } from "./sql.ts";
import type { Stack } from "./stack.ts";

type Scope = string | ({ permission: string } & Record<string, unknown>);

interface KeyStates {
  expiresAt?: Date;
  revoked?: boolean;
  disabled?: boolean;
  allowedNetworks?: string[];
  stored?: boolean;
  /** The id of a principal. */
  owner?: string;
}

export interface KeyOptions extends KeyStates {
  scopes: readonly Scope[];
}

/**
 * Inserts a key into the database, in any state, including those that the API can't create: expired, or unknown.
 *
 * @returns the raw key
 */
export async function createKey(
  stack: Pick<Stack, "databaseUrl" | "organizationId">,
  scopes: readonly Scope[],
  options: KeyStates = {},
): Promise<string> {
  const [rawKey = ""] = await createKeys(stack, [{ scopes, ...options }]);
  return rawKey;
}

/** Inserts several keys in one statement, and returns the raw keys. */
export async function createKeys(
  stack: Pick<Stack, "databaseUrl" | "organizationId">,
  options: readonly KeyOptions[],
): Promise<string[]> {
  const keys = options.map((each) => ({ ...each, ...generateApiKey() }));
  const rows = keys
    .filter(({ stored }) => stored !== false)
    .map((key) => ({
      id: randomUUID(),
      prefix: key.prefix,
      hash: key.secretHash.toString("hex"),
      scopes: key.scopes.map((scope) => (typeof scope === "string" ? { permission: scope } : scope)),
      expires_at: key.expiresAt,
      is_revoked: key.revoked === true,
      is_disabled: key.disabled === true,
      networks: key.allowedNetworks,
      owner: key.owner,
    }));
  if (rows.length > 0) {
    await query(
      stack,
      `INSERT INTO api_keys (organization_id, id, name, prefix, secret_hash, owner_principal_type, scopes,
                             expires_at, revoked_at, disabled_at, allowed_networks, owner_principal_id)
       SELECT $1, id, 'test', prefix, decode(hash, 'hex'), 'service_account', scopes, expires_at,
              CASE WHEN is_revoked THEN now() END, CASE WHEN is_disabled THEN now() END, networks, owner
       FROM jsonb_to_recordset($2) AS k (id uuid, prefix text, hash text, scopes jsonb, expires_at timestamptz,
                                         is_revoked boolean, is_disabled boolean, networks text[], owner uuid)`,
      [stack.organizationId, JSON.stringify(rows)],
    );
  }
  return keys.map(({ rawKey }) => rawKey);
}
