import { assertCanGiveRoles, type CallerGrant } from "@waymark/server/api-keys/delegation.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findTeamByName, listRolesForOwned } from "@waymark/server/principals/teams.queries.ts";
import { countOwned, setOwner } from "@waymark/server/services/lifecycle.queries.ts";
import { permissionsOf } from "@waymark/shared/api-keys/roles/held-role.ts";
import { scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { accessedService } from "../lib/visible-services.ts";

/**
 * Sets the team that owns a service. This gives what roles for the services of that team allow, and takes what those for the present owner's
 * do: the caller needs each of these permissions for the service. Call it under the lock of the organization's keys.
 *
 * @param options.name the team's slug, or one of its handles; null for no owner
 * @returns the owner's slug, or undefined if nothing changed
 * @throws AppError `not_found`, `permission_denied`, `recent_sign_in_required` or `limit_reached`
 */
export async function changeOwner(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    holder: CallerGrant;
    service: Service;
    name: string | null;
    /** Throws if the session signed in too long ago to give anybody rights. */
    assertRecentSignIn: () => Promise<void>;
  },
): Promise<{ slug: string | null } | undefined> {
  const { organizationId, holder, service, name, assertRecentSignIn } = options;
  const team = name === null ? null : await findTeamByName(tx, { organizationId, name });
  if (name !== null && team === null) {
    throw new AppError("not_found", "There is no team with the slug or the handle in ownerTeam.");
  }
  const { ownerTeam: before } = service;
  if (team?.id === before?.id) return undefined;
  const taken = before === null ? [] : await listRolesForOwned(tx, { organizationId, teamId: before.id });
  const given = team === null ? [] : await listRolesForOwned(tx, { organizationId, teamId: team.id });
  const resource = accessedService(service);
  const isHeld = (permission: string) =>
    holder.scopes.some((scope) => scopeAllows(scope, permission, resource));
  if (![...taken, ...given].flatMap(permissionsOf).every(isHeld)) {
    // Doesn't name the permissions: the caller may lack `principals:read`.
    throw new AppError(
      "permission_denied",
      "Roles are limited to what the new owner or the present one owns, so changing the owner gives or takes their permissions for this service, " +
        "and this API key lacks some of them. Ask somebody who has them to set the owner.",
    );
  }
  if (given.length > 0) {
    assertCanGiveRoles(holder, []);
    await assertRecentSignIn();
  }
  if (
    team !== null &&
    (await countOwned(tx, { organizationId, teamId: team.id })) >= TEAM_LIMITS.servicesPerTeamMax
  ) {
    throw new AppError("limit_reached", `A team can own ${TEAM_LIMITS.servicesPerTeamMax} services.`);
  }
  await setOwner(tx, { organizationId, serviceId: service.id, teamId: team?.id ?? null });
  return { slug: team?.slug ?? null };
}
