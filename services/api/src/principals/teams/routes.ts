import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { listTeamMembers } from "@waymark/server/principals/team-members.queries.ts";
import { findTeam, listTeamRoleGrants, listTeams } from "@waymark/server/principals/teams.queries.ts";
import { type Actor, authorize, hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import * as operations from "@waymark/shared/principals/teams/operations.ts";
import type { Team } from "@waymark/shared/principals/teams/schema.ts";
import type { FastifyRequest } from "fastify";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { assertRecentSignIn } from "../../lib/recent-sign-in.ts";
import type { Serve } from "../../lib/serve.ts";
import { EVERY_SERVICE } from "../../lib/visible-services.ts";
import { visibleTeams } from "../../lib/visible-teams.ts";
import { addTeamMemberAs, removeTeamMemberAs } from "./change-members.ts";
import { createTeamAs, deleteTeamAs, updateTeamAs } from "./change-team.ts";
import { grantTeamRoleAs, revokeTeamRoleAs } from "./change-team-roles.ts";
import { existingTeam, viewOfAll } from "./team.ts";

const MEMBERS = listCursor(IdPosition, { list: "listTeamMembers" });

/** Registers the routes of teams, their members and their roles. */
export function registerTeamRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  registerReadRoutes(serve, { db });

  serve(operations.createTeam, async (request, reply) => {
    const { slug, displayName, handles = [] } = request.body;
    const team = await createTeamAs(db, { ...by(request), slug, displayName, handles });
    const location = pathOf(operations.getTeam, { teamId: team.id });
    return reply.code(201).headers({ location }).send(team);
  });

  serve(operations.updateTeam, (request) =>
    updateTeamAs(db, {
      ...by(request),
      ...request.params,
      request: request.body,
      assertRecentSignIn: () => assertRecentSignIn(request),
    }),
  );

  serve(operations.deleteTeam, async (request, reply) => {
    await deleteTeamAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });

  serve(operations.addTeamMember, (request) => addTeamMemberAs(db, { ...by(request), ...request.params }));

  serve(operations.removeTeamMember, async (request, reply) => {
    await removeTeamMemberAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });

  serve(operations.grantTeamRole, async (request, reply) => {
    const grant = await grantTeamRoleAs(db, { ...by(request), ...request.params, request: request.body });
    return reply.code(201).send(grant);
  });

  serve(operations.revokeTeamRole, async (request, reply) => {
    await revokeTeamRoleAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });
}

function registerReadRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.listTeams, (request) => {
    const actor = actorOf(request);
    return withOrganization(db, actor.organizationId, async (tx) => {
      return { teams: [...(await listTeams(tx, await visibleTeams(tx, actor)))] };
    });
  });

  serve(operations.getTeam, (request) => {
    const actor = actorOf(request);
    return withOrganization(db, actor.organizationId, (tx) => visibleTeam(tx, actor, request.params.teamId));
  });

  serve(operations.listTeamMembers, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { teamId } = request.params;
    const { limit, cursor } = request.query;
    const cursors = MEMBERS.below(teamId);
    const afterId = cursors.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      await visibleTeam(tx, actor, teamId);
      const rows = await listTeamMembers(tx, { organizationId, teamId, limit, afterId });
      const { page, nextCursor } = cursors.page(rows, limit, ({ principalId }) => principalId);
      const seesEmails = hasPermission(actor, "principals:read");
      return { members: page.map((row) => (seesEmails ? row : { ...row, email: null })), nextCursor };
    });
  });

  serve(operations.listTeamRoleGrants, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { teamId } = request.params;
    authorize(actor, "principals:read", {});
    return withOrganization(db, organizationId, async (tx) => {
      existingTeam(await findTeam(tx, { ...viewOfAll(actor), teamId }));
      return { roleGrants: [...(await listTeamRoleGrants(tx, { organizationId, teamId }))] };
    });
  });
}

/** Finds a team that the caller sees. A key that does not see all of them is refused alike for a team that there is not. */
async function visibleTeam(tx: DatabaseTransactionConnection, actor: Actor, teamId: string): Promise<Team> {
  const view = await visibleTeams(tx, actor);
  const team = await findTeam(tx, { ...view, teamId });
  if (team === null && view.serviceIds !== null) authorize(actor, "services:read", EVERY_SERVICE);
  return existingTeam(team);
}
