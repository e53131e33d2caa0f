import type { HotPool } from "../db/pool.ts";
import { isUndone } from "../db/undone.ts";
import { AppError } from "../errors/app-error.ts";
import { createBatcher } from "../lib/batcher.ts";
import type { Actor } from "./authorize.ts";
import { parseApiKey, secretHashesEqual } from "./key-format.ts";
import { type CheckedKeyRow, findApiKeyByPrefix, findApiKeysByPrefix } from "./queries.ts";

/** What is known of a key whose secret matched, whether or not it may still be used. */
export interface IdentifiedKey {
  organizationId: string;
  apiKeyId: string;
}

export type KeyCheck =
  | {
      ok: true;
      actor: Actor;
      /** Whether its last use was noted more than a minute ago, or never. */
      touchDue: boolean;
    }
  | {
      ok: false;
      error: AppError;
      /** Null unless the secret matched. */
      key: IdentifiedKey | null;
    };

export interface KeyChecks {
  /**
   * Checks a raw key against the database: one indexed query, which keys that come at the same moment share, and none
   * for what can't be a key. Nothing is cached, and the query begins after the check was asked for, so a key revoked
   * anywhere is refused by the next request everywhere. Time is the database's, the same for all.
   */
  checkApiKey: (rawKey: string) => Promise<KeyCheck>;
  /**
   * Checks the key that a session was opened with, whose secret matched then: the same query, the same refusals.
   * The caller vouches for the prefix, which a sealed cookie carries.
   */
  checkSessionKey: (key: { prefix: string; apiKeyId: string }) => Promise<KeyCheck>;
  /** How many checks wait for others' query to end, or are part of it. */
  waiting: () => number;
}

/** The check of keys as the api does it. */
export function createKeyChecks(pool: HotPool): KeyChecks {
  const lookups = createBatcher<string, CheckedKeyRow | undefined>(
    {
      together: (prefixes) => findApiKeysByPrefix(pool, prefixes),
      alone: (prefix) => findApiKeyByPrefix(pool, prefix),
      mayFollowAlone: isUndone,
    },
    { itemsMax: 64, inFlightMax: 1, holdMsMax: 200 },
  );

  return {
    checkApiKey: (rawKey) => checkRawKey(rawKey, lookups.add),
    async checkSessionKey(key) {
      const row = await lookups.add(key.prefix);
      if (row === undefined || row.id !== key.apiKeyId) {
        return refused("invalid_api_key", "The API key of this session is gone. Sign in again.", null);
      }
      return judge(row);
    },
    waiting: lookups.waiting,
  };
}

/** The same check of a raw key with a query of its own. */
export function checkApiKey(pool: HotPool, rawKey: string): Promise<KeyCheck> {
  return checkRawKey(rawKey, (prefix) => findApiKeyByPrefix(pool, prefix));
}

async function checkRawKey(
  rawKey: string,
  find: (prefix: string) => Promise<CheckedKeyRow | undefined>,
): Promise<KeyCheck> {
  const parsed = parseApiKey(rawKey);
  if (parsed === undefined) {
    return refused("invalid_api_key", "This is not a valid API key. Check that it was copied whole.", null);
  }
  const row = await find(parsed.prefix);
  if (row === undefined || !secretHashesEqual(row.secret_hash, parsed.secretHash)) {
    const message = "This API key is not known here. Check the key and the server's address.";
    return refused("invalid_api_key", message, null);
  }
  return judge(row);
}

function judge(row: CheckedKeyRow): KeyCheck {
  const key = { organizationId: row.organization_id, apiKeyId: row.id };
  // Revoked wins over expired. Both are said only to who knows the secret.
  if (row.revoked) return refused("api_key_revoked", "This API key was revoked. Use another one.", key);
  if (row.expired) return refused("api_key_expired", "This API key has expired. Use another one.", key);
  return { ok: true, actor: { ...key, scopes: row.scopes }, touchDue: row.touch_due };
}

function refused(
  code: "invalid_api_key" | "api_key_revoked" | "api_key_expired",
  message: string,
  key: IdentifiedKey | null,
): KeyCheck {
  return { ok: false, error: new AppError(code, message), key };
}
