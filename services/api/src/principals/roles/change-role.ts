import { isDeepStrictEqual } from "node:util";
import { assertCanGiveRoles, assertCanTakeRoles } from "@waymark/server/api-keys/delegation.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findPrincipal } from "@waymark/server/principals/queries.ts";
import {
  deleteOwnRole,
  deleteRoleGrant,
  findOwnRole,
  insertRoleGrant,
  isRoleGranted,
  listOwnRoles,
  setOwnRole,
} from "@waymark/server/principals/roles.queries.ts";
import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import {
  type GrantRoleRequest,
  type Role,
  ROLE_LIMITS,
  type RoleGrant,
  RoleName,
} from "@waymark/shared/principals/roles/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { lockedCallerGrant } from "../../lib/caller-grant.ts";
import { validationError } from "../../lib/zod-routes.ts";
import { keepingAnAdministrator } from "../administrators.ts";
import { existing } from "../change-principal.ts";
import { noSuchRole, owningTeam, scopesOfRole } from "./scopes-of-role.ts";

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

/** @throws AppError `validation_failed`, `permission_denied`, `limit_reached` or `last_administrator` */
export async function setRoleAs(
  db: DatabasePool,
  { actor, origin, name, permissions }: Change & { name: string; permissions: readonly string[] },
): Promise<Role> {
  authorize(actor, "principals:manage", {});
  if (!RoleName.safeParse(name).success || BUILT_IN_ROLES.has(name)) {
    const message =
      "must have lower-case letters, digits and hyphens, begin with a letter, and be no built-in role";
    throw validationError([{ path: "roleName", message }]);
  }
  const { organizationId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const before = await findOwnRole(tx, { organizationId, name });
    const given = permissions.filter((permission) => before?.includes(permission) !== true);
    assertCanTakeRoles(holder, toScopes(before ?? []));
    if (given.length > 0) assertCanGiveRoles(holder, toScopes(given));
    if (before === null && (await listOwnRoles(tx, organizationId)).length >= ROLE_LIMITS.rolesMax) {
      throw new AppError("limit_reached", `An organization can have ${ROLE_LIMITS.rolesMax} roles.`);
    }
    await keepingAnAdministrator(tx, organizationId, () =>
      setOwnRole(tx, { organizationId, name, permissions }),
    );
    const details = { role: name, permissions: [...permissions], previousPermissions: before?.slice() ?? [] };
    await record(tx, { organizationId, origin, action: "role.set", details });
    return { name, permissions: [...permissions], builtIn: false };
  });
}

function toScopes(permissions: readonly string[]): ApiKeyScope[] {
  return permissions.map((permission) => ({ permission }));
}

/** @throws AppError `permission_denied`, `not_found` or `role_in_use` */
export async function deleteRoleAs(
  db: DatabasePool,
  { actor, origin, name }: Change & { name: string },
): Promise<void> {
  authorize(actor, "principals:manage", {});
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    await lockedCallerGrant(tx, actor);
    if ((await findOwnRole(tx, { organizationId, name })) === null) throw noSuchRole();
    if (await isRoleGranted(tx, { organizationId, name })) {
      throw new AppError("role_in_use", "A user or a team has this role. Take it from all of them first.");
    }
    await deleteOwnRole(tx, { organizationId, name });
    await record(tx, { organizationId, origin, action: "role.deleted", details: { role: name } });
  });
}

/** Grants a role to a user. Idempotent: a grant of the same role for the same services is returned as it is. */
export async function grantRoleAs(
  db: DatabasePool,
  { actor, origin, principalId, request }: Change & { principalId: string; request: GrantRoleRequest },
): Promise<RoleGrant> {
  authorize(actor, "principals:manage", {});
  const { organizationId, apiKeyId } = actor;
  const { role, serviceNames = null } = request;
  return withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const principal = existing(await findPrincipal(tx, { organizationId, principalId }));
    if (principal.type !== "user") {
      throw validationError([
        { path: "", message: "roles are for users: a service account's permissions are in its keys" },
      ]);
    }
    assertCanGiveRoles(holder, await scopesOfRole(tx, { organizationId, role, serviceNames }));
    const ownedBy = await owningTeam(tx, { organizationId, slug: request.ownedBy ?? null });
    const same = principal.roleGrants.find(
      (grant) =>
        grant.role === role &&
        isDeepStrictEqual(grant.serviceNames, serviceNames) &&
        grant.ownedBy === (ownedBy?.slug ?? null) &&
        // One of an identity provider ends with the group.
        grant.identityProviderId === null,
    );
    if (same !== undefined) return same;
    const { grantsPerUserMax } = ROLE_LIMITS;
    if (principal.roleGrants.length >= grantsPerUserMax) {
      throw new AppError("limit_reached", `A user can have ${grantsPerUserMax} roles.`);
    }
    const grant = { role, serviceNames, ownedBy, createdBy: apiKeyId };
    const granted = await insertRoleGrant(tx, {
      ...grant,
      organizationId,
      holder: { principalId },
      id: uuidv7(),
    });
    const details = detailsOf(principal, granted);
    await record(tx, { organizationId, origin, action: "role.granted", details });
    return granted;
  });
}

/** @throws AppError `permission_denied`, `not_found` or `last_administrator` */
export async function revokeRoleAs(
  db: DatabasePool,
  { actor, origin, principalId, roleGrantId }: Change & { principalId: string; roleGrantId: string },
): Promise<void> {
  authorize(actor, "principals:manage", {});
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const principal = existing(await findPrincipal(tx, { organizationId, principalId }));
    const grant = existingGrant(principal.roleGrants, roleGrantId.toLowerCase());
    const { role, serviceNames } = grant;
    assertCanTakeRoles(holder, await scopesOfRole(tx, { organizationId, role, serviceNames }));
    await keepingAnAdministrator(tx, organizationId, () =>
      deleteRoleGrant(tx, { organizationId, roleGrantId }),
    );
    const details = detailsOf(principal, grant);
    await record(tx, { organizationId, origin, action: "role.revoked", details });
  });
}

function detailsOf({ id: principalId, displayName }: Principal, { role, serviceNames, ownedBy }: RoleGrant) {
  return { principalId, displayName, role, serviceNames, ownedBy };
}

function existingGrant(grants: readonly RoleGrant[], id: string): RoleGrant {
  const found = grants.find((grant) => grant.id === id);
  if (found === undefined) throw new AppError("not_found", "The user has no such role.");
  return found;
}

async function record(
  tx: DatabaseTransactionConnection,
  event: {
    organizationId: string;
    origin: AuditOrigin;
    action: "role.set" | "role.deleted" | "role.granted" | "role.revoked";
    details: Record<string, string | string[] | readonly string[] | null>;
  },
): Promise<void> {
  const { origin, ...facts } = event;
  await insertAuditEvent(tx, { ...origin, ...facts, id: uuidv7(), apiKeyId: null });
}
