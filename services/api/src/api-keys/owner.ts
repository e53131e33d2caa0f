import type { KeyGrant } from "@waymark/server/api-keys/delegation.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findPrincipal } from "@waymark/server/principals/queries.ts";
import { type Actor, authorize, denial } from "@waymark/shared/api-keys/authorize.ts";
import type { ApiKey, Permission } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { callerGrant, grantOf } from "../lib/caller-grant.ts";
import { validationError } from "../lib/zod-routes.ts";

interface Owner {
  ownerPrincipalType?: Principal["type"] | null | undefined;
  ownerPrincipalId?: string | null | undefined;
}

/**
 * Finds the principal that is named as the owner of a key. Null for an owner that is known elsewhere only.
 *
 * @throws AppError `validation_failed` if it is of the other type
 */
export async function findOwner(
  tx: DatabaseTransactionConnection,
  { organizationId, ownerPrincipalType, ownerPrincipalId }: Owner & { organizationId: string },
): Promise<Principal | null> {
  if (ownerPrincipalId === undefined || ownerPrincipalId === null) return null;
  const owner = await findPrincipal(tx, { organizationId, principalId: ownerPrincipalId });
  if (owner === null || owner.type === ownerPrincipalType) return owner;
  throw validationError([
    { path: "ownerPrincipalType", message: `must be ${owner.type} for this principal` },
  ]);
}

/**
 * Checks that the actor may have a key that belongs to this owner. A user's key acts in the user's name, so only the user has it.
 *
 * @throws AppError `permission_denied`, or like `findOwner`
 */
export async function assertMayOwn(
  tx: DatabaseTransactionConnection,
  { organizationId, userId }: Actor,
  owner: Owner,
): Promise<void> {
  const principal = await findOwner(tx, { organizationId, ...owner });
  if (principal?.type !== "user" || principal.id === userId) return;
  throw new AppError(
    "permission_denied",
    "A user's keys act in the user's name, so only the user can create and rotate them.",
  );
}

/** True if a key that belongs to this owner is the actor's own: of the same user. */
export function isOwnUsers({ userId }: Actor, { ownerPrincipalId }: Owner): boolean {
  return userId !== undefined && ownerPrincipalId?.toLowerCase() === userId;
}

/**
 * Returns what the caller can hand on to a key of this owner. A key of the caller's own user is limited by the same roles at each request, so
 * the calling key's own scopes are what must cover it. Call it like `callerGrant`.
 *
 * @throws AppError like `callerGrant`
 */
export async function grantToOwner(
  tx: DatabaseTransactionConnection,
  { actor, caller, owner }: { actor: Actor; caller: ApiKey | undefined; owner: Owner },
): Promise<KeyGrant> {
  const grant = await callerGrant(tx, actor.organizationId, caller);
  return caller !== undefined && isOwnUsers(actor, owner) ? grantOf(caller) : grant;
}

/**
 * Checks a permission for all keys, or `personal-keys:manage` for the keys of the actor's own user.
 *
 * @throws AppError `permission_denied`
 */
export function authorizeForOwner(actor: Actor, permission: Permission, owner: Owner): void {
  const resource = { resourceType: "api_key" };
  const denied = denial(actor, [permission], resource);
  if (denied === undefined) return;
  if (isOwnUsers(actor, owner)) authorize(actor, "personal-keys:manage", {});
  else throw denied;
}
