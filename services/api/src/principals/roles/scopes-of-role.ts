import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findOwnRole } from "@waymark/server/principals/roles.queries.ts";
import { findTeamByName } from "@waymark/server/principals/teams.queries.ts";
import type { ApiKeyScope } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import type { CreateInvitationRequest } from "@waymark/shared/principals/invitations/schema.ts";
import { scopesToHandOn } from "@waymark/shared/api-keys/roles/held-role.ts";

/** Returns the scopes that the roles of an invitation grant. @throws AppError `not_found` if there is no such role */
export async function scopesOfInvited(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  roles: CreateInvitationRequest["roles"],
): Promise<ApiKeyScope[]> {
  const scopes: ApiKeyScope[] = [];
  for (const { role, serviceNames = null, ownedBy = null } of roles) {
    await owningTeam(tx, { organizationId, slug: ownedBy });
    scopes.push(...(await scopesOfRole(tx, { organizationId, role, serviceNames })));
  }
  return scopes;
}

/**
 * Returns the scopes that somebody needs who grants or takes a role. A limit to what a team owns counts for nothing: the team may own any
 * service tomorrow.
 *
 * @throws AppError `not_found` if there is no such role
 */
export async function scopesOfRole(
  tx: DatabaseTransactionConnection,
  options: { organizationId: string; role: string; serviceNames: readonly string[] | null },
): Promise<ApiKeyScope[]> {
  const { organizationId, role, serviceNames } = options;
  const isBuiltIn = BUILT_IN_ROLES.has(role);
  const permissions = isBuiltIn ? null : await findOwnRole(tx, { organizationId, name: role });
  if (permissions === null && !isBuiltIn) throw noSuchRole();
  const names = serviceNames?.slice() ?? null;
  return scopesToHandOn([
    { role, permissions: permissions?.slice() ?? null, serviceNames: names, serviceIds: null },
  ]);
}

/** Finds a team, such as the one to whose services a role is limited; null without a slug. @throws AppError `not_found` if there is no such team */
export async function owningTeam(
  tx: DatabaseTransactionConnection,
  { organizationId, slug }: { organizationId: string; slug: string | null },
): Promise<TeamSummary | null> {
  if (slug === null) return null;
  const team = await findTeamByName(tx, { organizationId, name: slug });
  if (team === null) throw new AppError("not_found", `There is no team with the slug ${slug}.`);
  return team;
}

export const noSuchRole = () => new AppError("not_found", "There is no role with this name.");
