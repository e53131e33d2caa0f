import { isDeepStrictEqual } from "node:util";
import { assertCanGiveRoles, assertCanTakeRoles } from "@waymark/server/api-keys/delegation.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { deleteRoleGrant, insertRoleGrant } from "@waymark/server/principals/roles.queries.ts";
import { findTeam, listTeamRoleGrants } from "@waymark/server/principals/teams.queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { GrantRoleRequest, RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import { v7 as uuidv7 } from "uuid";
import { lockedCallerGrant } from "../../lib/caller-grant.ts";
import { keepingAnAdministrator } from "../administrators.ts";
import { owningTeam, scopesOfRole } from "../roles/scopes-of-role.ts";
import { type Change, existingTeam, recordOfTeam, viewOfAll } from "./team.ts";

/**
 * Grants a role to a team. Idempotent: a grant of the same role for the same services is returned as it is.
 *
 * @throws AppError `permission_denied`, `not_found` or `limit_reached`
 */
export async function grantTeamRoleAs(
  db: DatabasePool,
  { actor, origin, teamId, request }: Change & { teamId: string; request: GrantRoleRequest },
): Promise<RoleGrant> {
  authorize(actor, "principals:manage", {});
  const { organizationId, apiKeyId } = actor;
  const of = { organizationId, teamId };
  const { role, serviceNames = null } = request;
  return withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const team = existingTeam(await findTeam(tx, { ...of, ...viewOfAll(actor) }));
    assertCanGiveRoles(holder, await scopesOfRole(tx, { organizationId, role, serviceNames }));
    const ownedBy = await owningTeam(tx, { organizationId, slug: request.ownedBy ?? null });
    const grants = await listTeamRoleGrants(tx, of);
    const same = grants.find(
      (grant) =>
        grant.role === role &&
        isDeepStrictEqual(grant.serviceNames, serviceNames) &&
        grant.ownedBy === (ownedBy?.slug ?? null),
    );
    if (same !== undefined) return same;
    const { grantsPerTeamMax } = TEAM_LIMITS;
    if (grants.length >= grantsPerTeamMax)
      throw new AppError("limit_reached", `A team can have ${grantsPerTeamMax} roles.`);
    const grant = { organizationId, holder: { teamId }, role, serviceNames, ownedBy, createdBy: apiKeyId };
    const granted = await insertRoleGrant(tx, { ...grant, id: uuidv7() });
    const details = { role, serviceNames, ownedBy: granted.ownedBy };
    await recordOfTeam(tx, { origin, of: { organizationId, team }, action: "role.granted", details });
    return granted;
  });
}

/** @throws AppError `permission_denied`, `not_found` or `last_administrator` */
export async function revokeTeamRoleAs(
  db: DatabasePool,
  { actor, origin, teamId, roleGrantId }: Change & { teamId: string; roleGrantId: string },
): Promise<void> {
  authorize(actor, "principals:manage", {});
  const { organizationId } = actor;
  const of = { organizationId, teamId };
  await withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const team = existingTeam(await findTeam(tx, { ...of, ...viewOfAll(actor) }));
    const grant = (await listTeamRoleGrants(tx, of)).find(({ id }) => id === roleGrantId.toLowerCase());
    if (grant === undefined) throw new AppError("not_found", "The team has no such role.");
    const { role, serviceNames, ownedBy } = grant;
    assertCanTakeRoles(holder, await scopesOfRole(tx, { organizationId, role, serviceNames }));
    await keepingAnAdministrator(tx, organizationId, () =>
      deleteRoleGrant(tx, { organizationId, roleGrantId }),
    );
    const details = { role, serviceNames, ownedBy };
    await recordOfTeam(tx, { origin, of: { organizationId, team }, action: "role.revoked", details });
  });
}
