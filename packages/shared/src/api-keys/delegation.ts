import { isDeepStrictEqual } from "node:util";
import { AppError } from "../errors/app-error.ts";
import { firstNetworkOutside } from "./networks.ts";
import { type ApiKeyScope, EVERY_PERMISSION } from "./schema.ts";
import { areServiceNamesWithin } from "./service-names.ts";

export interface KeyGrant {
  scopes: readonly ApiKeyScope[];
  expiresAt: Date | null;
  /** Null for anywhere. */
  allowedNetworks: readonly string[] | null;
}

/**
 * Passes when a key may give another one these scopes, this life and these networks: each scope and network fits
 * inside ONE of its own, and the other key ends no later than itself.
 *
 * @throws AppError `permission_denied`, naming the first scope or network that does not fit, or the expiry
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
 * Passes when a key may revoke or disable another one: each of that key's scopes fits inside ONE of its own. Its life
 * and its networks don't count, or a short-lived or bound key could not stop a leak.
 *
 * @throws AppError `permission_denied`
 */
export function assertCanRevoke(holder: Pick<KeyGrant, "scopes">, ended: Pick<KeyGrant, "scopes">): void {
  if (firstScopeOutside(ended.scopes, holder.scopes) === undefined) return;
  // Without its scopes: the caller may not be one that reads keys.
  throw new AppError(
    "permission_denied",
    "This API key can revoke or disable only keys that can do no more than itself: each scope of that key must fit inside one of its own, constraints included.",
  );
}

/** How messages name it: `scopes[1] (audit:read)`. */
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

/** Whether `inner` allows nothing that `outer` does not: no wider permission, and every constraint of `outer` kept. */
export function isScopeWithin(inner: ApiKeyScope, outer: ApiKeyScope): boolean {
  if (outer.permission !== EVERY_PERMISSION && outer.permission !== inner.permission) return false;
  for (const name of COMPARED) {
    const bound = outer[name];
    if (bound === undefined || bound === null) continue;
    if (inner[name]?.toLowerCase() !== bound.toLowerCase()) return false;
  }
  const kept = inner.resourceConstraints ?? {};
  return Object.entries(outer.resourceConstraints ?? {}).every(([name, bound]) => {
    if (!Object.hasOwn(kept, name)) return false;
    return (
      isDeepStrictEqual(kept[name], bound) ||
      (name === "serviceNames" && areServiceNamesWithin(kept[name], bound))
    );
  });
}
