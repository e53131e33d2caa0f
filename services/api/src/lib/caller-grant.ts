import type { CallerGrant, KeyGrant } from "@waymark/server/api-keys/delegation.ts";
import { lockApiKeys } from "@waymark/server/api-keys/queries.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findPrincipal } from "@waymark/server/principals/queries.ts";
import { listHeldRoles } from "@waymark/server/principals/roles.queries.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { intersectScopes } from "@waymark/shared/api-keys/intersect-scopes.ts";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { scopesOfUser } from "@waymark/shared/api-keys/roles/held-role.ts";

/**
 * Returns what the caller can hand on or take now, by its key and by its owner. Call it under the lock of the organization's keys and
 * while the caller's row is locked.
 *
 * @throws AppError like `grantableScopes`, or `principal_disabled`
 */
export async function callerGrant(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  caller: ApiKey | undefined,
): Promise<CallerGrant> {
  const grant = grantableScopes(caller);
  const principalId = caller?.ownerPrincipalId ?? null;
  const owner = principalId === null ? null : await findPrincipal(tx, { organizationId, principalId });
  if (owner !== null && owner.disabledAt !== null) {
    throw new AppError(
      "principal_disabled",
      "The owner of this API key is disabled. Ask an administrator to enable it.",
    );
  }
  if (owner?.type !== "user") return { ...grant, isOfUser: false };
  const roles = await listHeldRoles(tx, { organizationId, principalId: owner.id });
  return { ...grant, scopes: intersectScopes(grant.scopes, scopesOfUser(roles)), isOfUser: true };
}

/**
 * Takes the exclusive lock of the organization's keys, under which no key, owner or role changes, and returns what the caller can hand on
 * or take.
 *
 * @throws AppError like `callerGrant`
 */
export async function lockedCallerGrant(
  tx: DatabaseTransactionConnection,
  { organizationId, apiKeyId }: Actor,
): Promise<CallerGrant> {
  await lockKeyChanges(tx, organizationId, "exclusive");
  const keys = await lockApiKeys(tx, { organizationId, apiKeyIds: [apiKeyId] });
  return callerGrant(tx, organizationId, keys.get(apiKeyId));
}

/**
 * Returns the scopes that a key can grant or revoke. A caller that was revoked or has expired since its request was authenticated can grant
 * nothing: a leaked key that is being revoked can't create another, and two keys can't revoke each other.
 *
 * @throws AppError `api_key_revoked`, `api_key_expired` or `api_key_disabled`
 */
function grantableScopes(caller: ApiKey | undefined): KeyGrant {
  if (caller?.status === "active") {
    if (caller.disabledAt === null) return grantOf(caller);
    throw new AppError(
      "api_key_disabled",
      "This API key is disabled. Ask for it to be enabled, or use another one.",
    );
  }
  if (caller?.status === "expired") {
    throw new AppError("api_key_expired", "This API key has expired. Use another one.");
  }
  throw new AppError("api_key_revoked", "This API key was revoked. Use another one.");
}

/** The properties of a key that the delegation rules compare. */
export function grantOf({ scopes, expiresAt, allowedNetworks }: ApiKey): KeyGrant {
  return { scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt), allowedNetworks };
}
