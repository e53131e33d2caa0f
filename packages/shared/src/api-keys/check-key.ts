import type { HotPool } from "../db/pool.ts";
import { AppError } from "../errors/app-error.ts";
import type { Actor } from "./authorize.ts";
import { parseApiKey, secretHashesEqual } from "./key-format.ts";
import { findApiKeyByPrefix } from "./queries.ts";

/**
 * Checks a raw key against the database: one indexed query, and none for what can't be a key. Nothing is cached,
 * so a key revoked anywhere is refused by the next request everywhere.
 *
 * @throws AppError `invalid_api_key`, `api_key_revoked` or `api_key_expired`
 */
export async function checkApiKey(pool: HotPool, rawKey: string): Promise<Actor> {
  const parsed = parseApiKey(rawKey);
  if (parsed === undefined) {
    throw new AppError("invalid_api_key", "This is not a valid API key. Check that it was copied whole.");
  }
  const key = await findApiKeyByPrefix(pool, parsed.prefix);
  if (key === undefined || !secretHashesEqual(key.secret_hash, parsed.secretHash)) {
    throw new AppError(
      "invalid_api_key",
      "This API key is not known here. Check the key and the server's address.",
    );
  }
  // Revoked wins over expired. Both are said only to who knows the secret.
  if (key.revoked_at !== null) {
    throw new AppError("api_key_revoked", "This API key was revoked. Use another one.");
  }
  if (key.expires_at !== null && key.expires_at.getTime() <= Date.now()) {
    throw new AppError("api_key_expired", "This API key has expired. Use another one.");
  }
  return { organizationId: key.organization_id, apiKeyId: key.id, scopes: key.scopes };
}
