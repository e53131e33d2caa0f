import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findPrincipal } from "@waymark/server/principals/queries.ts";
import { listHeldRoles } from "@waymark/server/principals/roles.queries.ts";
import { findTeamBySlug } from "@waymark/server/principals/teams.queries.ts";
import type { ServiceNames } from "@waymark/server/services/visible.queries.ts";
import { hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import { scopesOfUser } from "@waymark/shared/api-keys/roles/held-role.ts";
import { scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import type { AssigneeIds } from "@waymark/server/scans/finding-assignments/queries.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "../../lib/authenticate.ts";
import { accessedService } from "../../lib/visible-services.ts";
import { visibleTeams } from "../../lib/visible-teams.ts";
import { validationError } from "../../lib/zod-routes.ts";

/** A user by id or a team by slug; without both, the user of the calling key. */
interface NamedAssignee {
  principalId?: string | null | undefined;
  team?: string | null | undefined;
  /** The services of the findings. */
  services: readonly ServiceNames[];
  /** The place of both fields in the request, if they are not at its top. */
  at?: string;
}

/**
 * Returns the user or the team to which findings of services are to be assigned: one of them is null.
 *
 * @throws AppError `validation_failed`
 */
export async function findAssignee(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  wanted: NamedAssignee,
): Promise<AssigneeIds> {
  const { team = null } = wanted;
  if (team !== null)
    return { principalId: null, teamId: await visibleTeam(tx, request, { ...wanted, team }) };
  return { principalId: await readingUser(tx, request, wanted), teamId: null };
}

/** A team that the caller does not see is refused like one that there is not. @throws AppError `validation_failed` */
export async function visibleTeam(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  { team, at = "" }: { team: string; at?: string },
): Promise<string> {
  const actor = actorOf(request);
  const { organizationId, userId = null } = actor;
  const view = hasPermission(actor, "services:read")
    ? await visibleTeams(tx, actor)
    : { organizationId, userId, serviceIds: [] };
  const found = await findTeamBySlug(tx, { ...view, slug: team });
  if (found === null) throw validationError([{ path: `${at}team`, message: "must be the slug of a team" }]);
  return found.id;
}

async function readingUser(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  wanted: NamedAssignee,
): Promise<string> {
  const { organizationId, userId } = actorOf(request);
  const { services, at = "" } = wanted;
  const principalId = wanted.principalId ?? userId;
  const refuse = (message: string) => validationError([{ path: `${at}principalId`, message }]);
  if (principalId === undefined) throw refuse("is required for a key that belongs to no user");
  const found = await findPrincipal(tx, { organizationId, principalId });
  const isActive = found !== null && found.type === "user" && found.disabledAt === null;
  const isReader =
    isActive &&
    (found.id === userId || (await mayReadFindings(tx, { organizationId, userId: found.id, services })));
  // One message for all: who may not read people does not learn which ids are users, and who of them is disabled.
  if (!isReader) throw refuse("must be the id of an active user who may read the findings of this service");
  return found.id;
}

/** True if a user's roles allow reading the findings of each of the services. */
async function mayReadFindings(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    userId,
    services,
  }: { organizationId: string; userId: string; services: readonly ServiceNames[] },
): Promise<boolean> {
  const roles = await listHeldRoles(tx, { organizationId, principalId: userId });
  const scopes = scopesOfUser(roles);
  return services.every((service) =>
    scopes.some((scope) => scopeAllows(scope, "endpoints:read", accessedService(service))),
  );
}
