import { assertCanGiveRoles, assertCanTakeRoles } from "@waymark/server/api-keys/delegation.ts";
import { lockKeyChanges } from "@waymark/server/api-keys/revocation/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import {
  countTeams,
  deleteTeam,
  findTeam,
  insertTeam,
  isTeamNameTaken,
  listRolesForOwned,
  listRolesOfTeam,
  updateTeam,
} from "@waymark/server/principals/teams.queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { scopesToHandOn } from "@waymark/shared/api-keys/roles/held-role.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import type { Team, UpdateTeamRequest } from "@waymark/shared/principals/teams/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { lockedCallerGrant } from "../../lib/caller-grant.ts";
import { keepingAnAdministrator } from "../administrators.ts";
import { type Change, existingTeam, recordOfTeam, viewOfAll } from "./team.ts";

interface NewTeam {
  slug: string;
  displayName: string;
  handles: readonly string[];
}

/** @throws AppError `permission_denied`, `team_name_taken` or `limit_reached` */
export async function createTeamAs(
  db: DatabasePool,
  { actor, origin, ...team }: Change & NewTeam,
): Promise<Team> {
  authorize(actor, "teams:manage", {});
  const { organizationId, apiKeyId } = actor;
  const of = { organizationId, teamId: uuidv7() };
  const names = { ...team, handles: [...new Set(team.handles)] };
  return withOrganization(db, organizationId, async (tx) => {
    await lockKeyChanges(tx, organizationId, "exclusive");
    if ((await countTeams(tx, organizationId)) >= TEAM_LIMITS.teamsMax) {
      throw new AppError("limit_reached", `An organization can have ${TEAM_LIMITS.teamsMax} teams.`);
    }
    await assertNamesAreFree(tx, { ...of, ...names });
    await insertTeam(tx, { ...of, ...names, createdBy: apiKeyId });
    const created = existingTeam(await findTeam(tx, { ...of, ...viewOfAll(actor) }));
    await recordOfTeam(tx, { origin, of: { organizationId, team: created }, action: "team.created" });
    return created;
  });
}

/**
 * Changes the names of a team. The groups of an identity provider make people members of a team by its slug, so another slug gives and takes
 * the team's roles: the caller needs their permissions.
 *
 * @throws AppError `permission_denied`, `recent_sign_in_required`, `not_found` or `team_name_taken`
 */
export async function updateTeamAs(
  db: DatabasePool,
  options: Change & {
    teamId: string;
    request: UpdateTeamRequest;
    /** Throws if the session signed in too long ago to give anybody rights. */
    assertRecentSignIn: () => Promise<void>;
  },
): Promise<Team> {
  const { actor, origin, teamId, request, assertRecentSignIn } = options;
  authorize(actor, "teams:manage", {});
  const { organizationId } = actor;
  const of = { organizationId, teamId };
  return withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const before = existingTeam(await findTeam(tx, { ...of, ...viewOfAll(actor) }));
    const { slug = before.slug, displayName = before.displayName } = request;
    const handles = [...new Set(request.handles ?? before.handles)];
    const isSame =
      slug === before.slug &&
      displayName === before.displayName &&
      handles.join(" ") === before.handles.join(" ");
    if (isSame) return before;
    const roles = slug === before.slug ? [] : await listRolesOfTeam(tx, of);
    if (roles.length > 0) {
      assertCanGiveRoles(holder, scopesToHandOn(roles));
      await assertRecentSignIn();
    }
    await assertNamesAreFree(tx, { ...of, slug, handles });
    await updateTeam(tx, { ...of, slug, displayName, handles });
    const team = { ...before, slug, displayName, handles };
    const details = { handles, previousSlug: before.slug, previousName: before.displayName };
    await recordOfTeam(tx, { origin, of: { organizationId, team }, action: "team.updated", details });
    return team;
  });
}

async function assertNamesAreFree(
  tx: DatabaseTransactionConnection,
  names: { organizationId: string; teamId: string; slug: string; handles: readonly string[] },
): Promise<void> {
  if (!(await isTeamNameTaken(tx, names))) return;
  throw new AppError("team_name_taken", "Another team has this slug, or one of these handles.");
}

/**
 * Deletes a team. The caller needs all permissions that this takes: those of the team's roles, and those of all roles for its services.
 *
 * @throws AppError `permission_denied`, `not_found` or `last_administrator`
 */
export async function deleteTeamAs(
  db: DatabasePool,
  { actor, origin, teamId }: Change & { teamId: string },
): Promise<void> {
  authorize(actor, "teams:manage", {});
  const { organizationId } = actor;
  const of = { organizationId, teamId };
  await withOrganization(db, organizationId, async (tx) => {
    const holder = await lockedCallerGrant(tx, actor);
    const team = existingTeam(await findTeam(tx, { ...of, ...viewOfAll(actor) }));
    const ended = [...(await listRolesOfTeam(tx, of)), ...(await listRolesForOwned(tx, of))];
    assertCanTakeRoles(holder, scopesToHandOn(ended));
    await keepingAnAdministrator(tx, organizationId, () => deleteTeam(tx, of));
    const details = { memberCount: team.memberCount, serviceCount: team.serviceCount };
    await recordOfTeam(tx, { origin, of: { organizationId, team }, action: "team.deleted", details });
  });
}
