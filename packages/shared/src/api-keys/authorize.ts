import { AppError } from "../errors/app-error.ts";
import type { ApiKeyScope, NeededPermission } from "./schema.ts";
import { type AccessedResource, constraintsOf, grants, isGranted } from "./scope-allows.ts";

/** The authenticated key that makes a request, and its organization. */
export interface Actor {
  organizationId: string;
  apiKeyId: string;
  scopes: readonly ApiKeyScope[];
  /** The user whose key it is; absent for the key of a service account or of an owner that is not known here. */
  userId?: string;
  /** Collects the permissions that are checked for a request: a route that checked too few must not respond. */
  checked?: Set<NeededPermission>;
}

/**
 * Checks that one scope of the actor grants the permission on this resource, constraints included.
 *
 * @throws AppError `permission_denied` with the permission and the constraints of its scopes. The message depends on the
 *   key only: it is the same for a missing resource and for one that the key can't access.
 */
export function authorize(actor: Actor, permission: NeededPermission, resource: AccessedResource): void {
  authorizeAll(actor, [permission], resource);
}

/** Like `authorize`, for several permissions. The error names all that are missing. */
export function authorizeAll(
  actor: Actor,
  permissions: readonly NeededPermission[],
  resource: AccessedResource,
): void {
  const error = denial(actor, permissions, resource);
  if (error !== undefined) throw error;
}

/** A permission with the resource that it is needed for. */
export interface NeededAccess {
  permission: NeededPermission;
  resource: AccessedResource;
  /** Properties by which a scope that names the resource may be limited further. */
  within?: AccessedResource;
}

/**
 * Like `authorizeAll`, for permissions on different resources: a scope that is limited to one resource grants nothing for another.
 *
 * @throws AppError `permission_denied`
 */
export function authorizeEach(actor: Actor, needs: readonly NeededAccess[]): void {
  const error = denied(needs.flatMap((need) => refusal(actor, need) ?? []));
  if (error !== undefined) throw error;
}

/** The error that `authorizeAll` throws; undefined if access is allowed. */
export function denial(
  actor: Actor,
  permissions: readonly NeededPermission[],
  resource: AccessedResource,
): AppError | undefined {
  return denied(permissions.flatMap((permission) => refusal(actor, { permission, resource }) ?? []));
}

function denied(refusals: readonly string[]): AppError | undefined {
  if (refusals.length === 0) return undefined;
  return new AppError("permission_denied", `This API key lacks ${refusals.join(" and ")}.`);
}

/** Whether any scope has the permission, before the accessed resource is known. */
export function hasPermission(actor: Actor, permission: NeededPermission): boolean {
  return actor.scopes.some((scope) => grants(scope, permission));
}

/** The maximum number of constraints in a message: resource constraints are an open object. */
const NAMED_MAX = 8;

function refusal(actor: Actor, { permission, resource, within }: NeededAccess): string | undefined {
  actor.checked?.add(permission);
  const granting = actor.scopes.filter((scope) => grants(scope, permission));
  if (granting.length === 0) return `the permission ${permission}`;
  if (granting.some((scope) => isGranted(scope, resource, within))) return undefined;
  const bounds = [...new Set(granting.flatMap(constraintsOf))];
  const more = bounds.length - NAMED_MAX;
  const names = bounds.slice(0, NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `the permission ${permission} for this resource (its scope is limited by ${names})`;
}
