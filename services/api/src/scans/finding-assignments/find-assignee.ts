import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findPrincipal } from "@waymark/server/principals/queries.ts";
import { listHeldRoles } from "@waymark/server/principals/roles.queries.ts";
import { findTeamBySlug } from "@waymark/server/principals/teams.queries.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";
import { hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import { scopesOfUser } from "@waymark/shared/api-keys/roles/held-role.ts";
import { scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import type { assignFinding } from "@waymark/shared/scans/finding-assignments/operations.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { RequestOf } from "../../lib/serve.ts";
import { accessedService } from "../../lib/visible-services.ts";
import { visibleTeams } from "../../lib/visible-teams.ts";
import { validationError } from "../../lib/zod-routes.ts";

type AssignRequest = RequestOf<typeof assignFinding>;

/** Returns the user or the team to which a finding is to be assigned: one of them is null. @throws AppError `validation_failed` */
export async function findAssignee(
  tx: DatabaseTransactionConnection,
  request: AssignRequest,
  serviceId: string,
): Promise<{ principalId: string | null; teamId: string | null }> {
  const { team = null } = request.body;
  if (team !== null) return { principalId: null, teamId: await visibleTeam(tx, request, team) };
  return { principalId: await readingUser(tx, request, serviceId), teamId: null };
}

/** A team that the caller does not see is refused like one that there is not. */
async function visibleTeam(
  tx: DatabaseTransactionConnection,
  request: AssignRequest,
  slug: string,
): Promise<string> {
  const actor = actorOf(request);
  const { organizationId, userId = null } = actor;
  const view = hasPermission(actor, "services:read")
    ? await visibleTeams(tx, actor)
    : { organizationId, userId, serviceIds: [] };
  const found = await findTeamBySlug(tx, { ...view, slug });
  if (found === null) throw validationError([{ path: "team", message: "must be the slug of a team" }]);
  return found.id;
}

async function readingUser(
  tx: DatabaseTransactionConnection,
  request: AssignRequest,
  serviceId: string,
): Promise<string> {
  const { organizationId, userId } = actorOf(request);
  const principalId = request.body.principalId ?? userId;
  const refuse = (message: string) => validationError([{ path: "principalId", message }]);
  if (principalId === undefined) throw refuse("is required for a key that belongs to no user");
  const found = await findPrincipal(tx, { organizationId, principalId });
  if (found === null || found.type !== "user" || found.disabledAt !== null)
    throw refuse("must be the id of an active user");
  if (found.id !== userId && !(await mayReadFindings(tx, { organizationId, userId: found.id, serviceId })))
    throw refuse("must be a user who may read the findings of this service");
  return found.id;
}

/** True if a user's roles allow reading the findings of a service. */
async function mayReadFindings(
  tx: DatabaseTransactionConnection,
  { organizationId, userId, serviceId }: { organizationId: string; userId: string; serviceId: string },
): Promise<boolean> {
  const service = accessedService(await findServiceNames(tx, { organizationId, serviceId }));
  const roles = await listHeldRoles(tx, { organizationId, principalId: userId });
  return scopesOfUser(roles).some((scope) => scopeAllows(scope, "endpoints:read", service));
}
