import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { listOwnRoles } from "@waymark/server/principals/roles.queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { BUILT_IN_ROLES } from "@waymark/shared/api-keys/roles/built-in.ts";
import * as operations from "@waymark/shared/principals/roles/operations.ts";
import type { FastifyRequest } from "fastify";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { deleteRoleAs, grantRoleAs, revokeRoleAs, setRoleAs } from "./change-role.ts";

export function registerRoleRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  serve(operations.listRoles, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    authorize(actor, "principals:read", {});
    const own = await withOrganization(db, organizationId, (tx) => listOwnRoles(tx, organizationId));
    const builtIn = [...BUILT_IN_ROLES].map(([name, permissions]) => {
      return { name, permissions: [...permissions], builtIn: true };
    });
    return { roles: [...builtIn, ...own.map((role) => ({ ...role, builtIn: false }))] };
  });

  serve(operations.setRole, (request) => {
    const { permissions } = request.body;
    return setRoleAs(db, { ...by(request), name: request.params.roleName, permissions });
  });

  serve(operations.deleteRole, async (request, reply) => {
    await deleteRoleAs(db, { ...by(request), name: request.params.roleName });
    return reply.code(204).send(null);
  });

  serve(operations.grantRole, async (request, reply) => {
    const { principalId } = request.params;
    const grant = await grantRoleAs(db, { ...by(request), principalId, request: request.body });
    return reply.code(201).send(grant);
  });

  serve(operations.revokeRole, async (request, reply) => {
    await revokeRoleAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });
}
