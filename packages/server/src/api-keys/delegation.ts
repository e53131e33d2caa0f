import { isDeepStrictEqual } from "node:util";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { firstNetworkOutside } from "./networks.ts";
import { type ApiKeyScope, EVERY_PERMISSION } from "@waymark/shared/api-keys/schema.ts";
import { areServiceIdsWithin } from "@waymark/shared/api-keys/service-ids.ts";
import { areServiceNamesWithin } from "@waymark/shared/api-keys/service-names.ts";

export interface KeyGrant {
  scopes: readonly ApiKeyScope[];
  expiresAt: Date | null;
  /** Null for any network. */
  allowedNetworks: readonly string[] | null;
}

/**
 * Checks that a key can create another key with these scopes, networks and expiry: ONE of its own scopes or networks
 * covers each of them, and the new key expires no later.
 *
 * @throws AppError `permission_denied`, naming the first scope or network that isn't covered, or the expiry
 */
export function assertCanGrant(holder: KeyGrant, granted: KeyGrant): void {
  const outside = firstScopeOutside(granted.scopes, holder.scopes);
  if (outside !== undefined) {
    throw new AppError(
      "permission_denied",
      `This API key can grant only permissions that it has: ${outside} is not covered by any of its scopes, constraints included.`,
    );
  }
  assertEndsNoLater(holder.expiresAt, granted.expiresAt);
  assertWithinNetworks(holder.allowedNetworks, granted.allowedNetworks);
}

/**
 * Checks that a key can revoke or disable another key: ONE of its own scopes covers each scope of that key. Expiry and
 * networks don't count, so that a short-lived or network-bound key can stop a leak.
 *
 * @throws AppError `permission_denied`
 */
export function assertCanRevoke(holder: Pick<KeyGrant, "scopes">, ended: Pick<KeyGrant, "scopes">): void {
  if (firstScopeOutside(ended.scopes, holder.scopes) === undefined) return;
  // Doesn't name the other key's scopes: the caller may lack `api-keys:read`.
  throw new AppError(
    "permission_denied",
    "This API key can revoke or disable only keys with no more permissions than its own: one of its scopes must cover each scope of that key, constraints included.",
  );
}

/** A grant of a caller, of which it can hand on a part. */
export interface CallerGrant extends KeyGrant {
  /** True for a key of a user, whose roles have no end although the key has one. */
  isOfUser: boolean;
}

/**
 * Checks that a key can take these scopes of roles, or a user with them: ONE of its own scopes covers each of them.
 *
 * @throws AppError `permission_denied`
 */
export function assertCanTakeRoles(holder: Pick<KeyGrant, "scopes">, scopes: readonly ApiKeyScope[]): void {
  if (firstScopeOutside(scopes, holder.scopes) === undefined) return;
  // Doesn't name the permissions: the caller may lack `principals:read`.
  throw new AppError(
    "permission_denied",
    "This API key can give or take only roles with no more permissions than its own: one of its scopes must cover each permission of the role, constraints included.",
  );
}

/**
 * Checks that a key can give these scopes of roles to a user: ONE of its own scopes covers each of them. A role has no end and holds in
 * every network, so the key must have no networks and, unless it is a user's, no end: a key that was leaked for an hour would otherwise
 * give something that lasts.
 *
 * @throws AppError `permission_denied`
 */
export function assertCanGiveRoles(holder: CallerGrant, scopes: readonly ApiKeyScope[]): void {
  assertCanTakeRoles(holder, scopes);
  if (holder.allowedNetworks !== null) {
    throw new AppError(
      "permission_denied",
      "This API key is limited to networks, and a role is not: use a key without allowedNetworks.",
    );
  }
  if (holder.expiresAt !== null && !holder.isOfUser) {
    throw new AppError(
      "permission_denied",
      "This API key has an end, and a role has none: use the key of a user, or one without expiresAt.",
    );
  }
}

/** The first scope that isn't covered, as messages name it: `scopes[1] (audit:read)`. */
function firstScopeOutside(inner: readonly ApiKeyScope[], outer: readonly ApiKeyScope[]): string | undefined {
  const index = inner.findIndex((scope) => !outer.some((own) => isScopeWithin(scope, own)));
  const scope = inner[index];
  return scope === undefined ? undefined : `scopes[${index}] (${scope.permission})`;
}

function assertEndsNoLater(holderEnd: Date | null, end: Date | null): void {
  if (holderEnd === null || (end !== null && end <= holderEnd)) return;
  throw new AppError(
    "permission_denied",
    `This API key can't create one that outlives it: expiresAt must be at or before ${holderEnd.toISOString()}.`,
  );
}

function assertWithinNetworks(own: readonly string[] | null, wanted: readonly string[] | null): void {
  if (own === null) return;
  const within = `must be inside this API key's own networks (${own.join(", ")})`;
  if (wanted === null) throw new AppError("permission_denied", `allowedNetworks is required and ${within}.`);
  const outside = firstNetworkOutside(wanted, own);
  if (outside === undefined) return;
  throw new AppError(
    "permission_denied",
    `allowedNetworks[${outside.index}] (${outside.network}) ${within}.`,
  );
}

const COMPARED = ["resourceType", "resourceId", "serviceId", "environmentId", "workflowId"] as const;

/** Whether `outer` covers `inner`: the same permission or a wider one, and no constraint of `outer` missing in `inner`. */
export function isScopeWithin(inner: ApiKeyScope, outer: ApiKeyScope): boolean {
  if (outer.permission !== EVERY_PERMISSION && outer.permission !== inner.permission) return false;
  for (const name of COMPARED) {
    const bound = outer[name];
    if (bound === undefined || bound === null) continue;
    if (inner[name]?.toLowerCase() !== bound.toLowerCase()) return false;
  }
  const { serviceId } = inner;
  const ids = typeof serviceId === "string" ? { serviceIds: [serviceId] } : {};
  const kept: Record<string, unknown> = { ...ids, ...inner.resourceConstraints };
  return Object.entries(outer.resourceConstraints ?? {}).every(([name, bound]) => {
    if (!Object.hasOwn(kept, name)) return false;
    return (
      isDeepStrictEqual(kept[name], bound) ||
      (name === "serviceNames" && areServiceNamesWithin(kept[name], bound)) ||
      (name === "serviceIds" && areServiceIdsWithin(kept[name], bound))
    );
  });
}
