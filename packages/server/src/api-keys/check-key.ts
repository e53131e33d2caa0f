import { isIP } from "node:net";
import type { PgPool } from "../db/pool.ts";
import { wasRolledBack } from "../db/rolled-back.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { createBatcher } from "../lib/batcher.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { intersectScopes } from "@waymark/shared/api-keys/intersect-scopes.ts";
import { scopesOfUser } from "@waymark/shared/api-keys/roles/held-role.ts";
import { parseApiKey, secretHashesEqual } from "./key-format.ts";
import { isAddressInside } from "./networks.ts";
import { type CheckedKeyRow, findApiKeyByPrefix, findApiKeysByPrefix } from "./queries.ts";

/** The identity of a key whose secret matched, even if the key is revoked, expired or disabled. */
export interface IdentifiedKey {
  organizationId: string;
  apiKeyId: string;
}

export type KeyCheck =
  | {
      ok: true;
      actor: Actor;
      /** Whether its last use was recorded more than a minute ago, or never. */
      lastUsedDue: boolean;
      /** True if no use is recorded, and a repeated creation may still replace the key. */
      isFirstUse: boolean;
    }
  | {
      ok: false;
      error: AppError;
      /** Null unless the secret matched. */
      key: IdentifiedKey | null;
    };

export interface KeyChecks {
  /**
   * Checks a raw key against the database with one indexed query, which concurrent checks share. Malformed keys need no
   * query. Nothing is cached, and the query starts after the call, so a revoked key is refused from the next request on,
   * by every process. The database's clock decides what has expired.
   *
   * @param address the client's address, to check against the key's networks
   */
  checkApiKey: (rawKey: string, address: string) => Promise<KeyCheck>;
  /** How many checks wait for a query to end, including those that the query serves. */
  waiting: () => number;
}

/** Creates the api's key check, which batches concurrent checks. */
export function createKeyChecks(pool: PgPool): KeyChecks {
  const lookups = createBatcher<string, CheckedKeyRow | undefined>(
    {
      runBatch: (prefixes) => findApiKeysByPrefix(pool, prefixes),
      runIndividually: (prefix) => findApiKeyByPrefix(pool, prefix),
      canRetryIndividually: wasRolledBack,
    },
    { itemsMax: 64, inFlightMax: 1, holdMsMax: 200 },
  );

  return {
    checkApiKey: (rawKey, address) => checkRawKey(rawKey, address, lookups.add),
    waiting: lookups.waiting,
  };
}

/** Checks a single raw key with its own query. */
export function checkApiKey(pool: PgPool, rawKey: string, address: string): Promise<KeyCheck> {
  return checkRawKey(rawKey, address, (prefix) => findApiKeyByPrefix(pool, prefix));
}

async function checkRawKey(
  rawKey: string,
  address: string,
  find: (prefix: string) => Promise<CheckedKeyRow | undefined>,
): Promise<KeyCheck> {
  const parsed = parseApiKey(rawKey);
  if (parsed === undefined) {
    return refused(
      "invalid_api_key",
      "This is not a valid API key. Check that it was copied completely.",
      null,
    );
  }
  const row = await find(parsed.prefix);
  if (row === undefined || !secretHashesEqual(row.secret_hash, parsed.secretHash)) {
    const message = "This API key is not known here. Check the key and the server's address.";
    return refused("invalid_api_key", message, null);
  }
  return evaluateKey(row, address);
}

/** Decides whether a key may be used whose secret matched, now or when its session was opened. */
export function evaluateKey(row: CheckedKeyRow, address: string): KeyCheck {
  const key = { organizationId: row.organization_id, apiKeyId: row.id };
  // Final states come first: revoked, then expired. Only callers with the right secret get these messages.
  if (row.revoked) return refused("api_key_revoked", "This API key was revoked. Use another one.", key);
  if (row.expired) return refused("api_key_expired", "This API key has expired. Use another one.", key);
  if (row.disabled) {
    return refused(
      "api_key_disabled",
      "This API key is disabled. Ask for it to be enabled, or use another one.",
      key,
    );
  }
  if (row.owner_disabled) {
    const owner = row.owner_kind === "user" ? "user" : "service account";
    const message = `The ${owner} of this API key is disabled. Ask an administrator to enable it.`;
    return refused("principal_disabled", message, key);
  }
  if (row.allowed_networks !== null && !isAddressInside(address, row.allowed_networks)) {
    return refused("network_not_allowed", networkMessage(address), key);
  }
  return {
    ok: true,
    actor: {
      ...key,
      scopes:
        row.owner_grants === null ? row.scopes : intersectScopes(row.scopes, scopesOfUser(row.owner_grants)),
      ...(row.owner_kind === "user" && row.owner_id !== null && { userId: row.owner_id }),
    },
    lastUsedDue: row.touch_due,
    isFirstUse: row.first_use,
  };
}

function networkMessage(address: string): string {
  const from = isIP(address) === 0 ? "this address" : address;
  return `This API key can't be used from ${from}: its allowedNetworks don't include it.`;
}

function refused(
  code:
    | "invalid_api_key"
    | "api_key_revoked"
    | "api_key_expired"
    | "api_key_disabled"
    | "principal_disabled"
    | "network_not_allowed",
  message: string,
  key: IdentifiedKey | null,
): KeyCheck {
  return { ok: false, error: new AppError(code, message), key };
}
