import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findOwnRole } from "@waymark/server/principals/roles.queries.ts";
import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import type { CreateInvitationRequest } from "@waymark/shared/principals/invitations/schema.ts";
import { scopesOfRoles } from "@waymark/shared/api-keys/roles/held-role.ts";

/** Returns the scopes that the roles of an invitation grant. @throws AppError `not_found` if there is no such role */
export async function scopesOfInvited(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  roles: CreateInvitationRequest["roles"],
): Promise<ApiKeyScope[]> {
  const scopes: ApiKeyScope[] = [];
  for (const { role, serviceNames = null } of roles)
    scopes.push(...(await scopesOfRole(tx, { organizationId, role, serviceNames })));
  return scopes;
}

/** Returns the scopes that a role grants. @throws AppError `not_found` if there is no such role */
export async function scopesOfRole(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; role: string; serviceNames: readonly string[] | null },
): Promise<ApiKeyScope[]> {
  const { organizationId, role, serviceNames } = options;
  const isBuiltIn = BUILT_IN_ROLES.has(role);
  const permissions = isBuiltIn ? null : await findOwnRole(tx, { organizationId, name: role });
  if (permissions === null && !isBuiltIn) throw noSuchRole();
  return scopesOfRoles([
    { role, permissions: permissions?.slice() ?? null, serviceNames: serviceNames?.slice() ?? null },
  ]);
}

export const noSuchRole = () => new AppError("not_found", "There is no role with this name.");
