import { assertCanGiveRoles, assertCanTakeRoles } from "@waymark/server/api-keys/delegation.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { findPrincipal } from "@waymark/server/principals/queries.ts";
import {
  addTeamMember,
  countMemberships,
  findTeamMember,
  removeTeamMember,
} from "@waymark/server/principals/team-members.queries.ts";
import { findTeam, listRolesOfTeam } from "@waymark/server/principals/teams.queries.ts";
import { authorize, hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import { scopesToHandOn } from "@waymark/shared/api-keys/roles/held-role.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import type { TeamMember } from "@waymark/shared/principals/teams/schema.ts";
import { lockedCallerGrant } from "../../lib/caller-grant.ts";
import { validationError } from "../../lib/zod-routes.ts";
import { keepingAnAdministrator } from "../administrators.ts";
import { existing } from "../change-principal.ts";
import { type Change, existingTeam, recordOfTeam, viewOfAll } from "./team.ts";

type ChangeOfMember = Change & { teamId: string; principalId: string };

/**
 * Adds a user to a team, which gives the user the team's roles. Idempotent.
 *
 * @throws AppError `permission_denied`, `not_found`, `validation_failed` or `limit_reached`
 */
export async function addTeamMemberAs(
  db: DatabasePool,
  { actor, origin, teamId, principalId }: ChangeOfMember,
): Promise<TeamMember> {
  authorize(actor, "teams:manage", {});
  const { organizationId, apiKeyId } = actor;
  const of = { organizationId, teamId, principalId };
  return withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const team = existingTeam(await findTeam(tx, { ...of, ...viewOfAll(actor) }));
    const principal = existing(await findPrincipal(tx, of));
    if (principal.type !== "user")
      throw validationError([
        { path: "principalId", message: "must be a user: teams have no service accounts" },
      ]);
    assertCanGiveRoles(holder, scopesToHandOn(await listRolesOfTeam(tx, of)));
    const before = await findTeamMember(tx, of);
    const { ofTeam, ofUser } = await countMemberships(tx, of);
    if (before === null) assertRoom(ofTeam, ofUser);
    await addTeamMember(tx, { ...of, createdBy: apiKeyId });
    if (before?.source !== "manual") {
      const details = { principalId, displayName: principal.displayName };
      await recordOfTeam(tx, { origin, of: { organizationId, team }, action: "team.member_added", details });
    }
    const member = existingTeam(await findTeamMember(tx, of));
    return hasPermission(actor, "principals:read") ? member : { ...member, email: null };
  });
}

function assertRoom(ofTeam: number, ofUser: number): void {
  const { membersPerTeamMax, teamsPerUserMax } = TEAM_LIMITS;
  if (ofTeam >= membersPerTeamMax)
    throw new AppError("limit_reached", `A team can have ${membersPerTeamMax} members.`);
  if (ofUser >= teamsPerUserMax)
    throw new AppError("limit_reached", `A user can be in ${teamsPerUserMax} teams.`);
}

/**
 * Removes a user from a team, which takes the team's roles.
 *
 * @throws AppError `permission_denied`, `not_found` or `last_administrator`
 */
export async function removeTeamMemberAs(
  db: DatabasePool,
  { actor, origin, teamId, principalId }: ChangeOfMember,
): Promise<void> {
  authorize(actor, "teams:manage", {});
  const { organizationId } = actor;
  const of = { organizationId, teamId, principalId };
  await withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const team = existingTeam(await findTeam(tx, { ...of, ...viewOfAll(actor) }));
    const member = await findTeamMember(tx, of);
    if (member === null) throw new AppError("not_found", "The team has no such member.");
    assertCanTakeRoles(holder, scopesToHandOn(await listRolesOfTeam(tx, of)));
    await keepingAnAdministrator(tx, organizationId, () => removeTeamMember(tx, of));
    const details = { principalId, displayName: member.displayName };
    await recordOfTeam(tx, { origin, of: { organizationId, team }, action: "team.member_removed", details });
  });
}
