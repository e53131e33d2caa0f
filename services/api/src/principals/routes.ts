import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { findPrincipal, listPrincipals } from "@waymark/server/principals/queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import * as operations from "@waymark/shared/principals/operations.ts";
import type { FastifyRequest } from "fastify";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import {
  createServiceAccountAs,
  existing,
  renamePrincipalAs,
  setPrincipalDisabledAs,
} from "./change-principal.ts";

const CURSORS = listCursor(IdPosition, { list: "listPrincipals" });

export function registerPrincipalRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  serve(operations.listPrincipals, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    authorize(actor, "principals:read", {});
    const { limit, cursor, type = null, q = null } = request.query;
    const afterId = CURSORS.read(cursor);
    const rows = await withOrganization(db, organizationId, (tx) =>
      listPrincipals(tx, { organizationId, limit, afterId, type, q }),
    );
    const { page, nextCursor } = CURSORS.page(rows, limit, ({ id }) => id);
    return { principals: [...page], nextCursor };
  });

  serve(operations.createServiceAccount, async (request, reply) => {
    const { displayName } = request.body;
    const principal = await createServiceAccountAs(db, { ...by(request), displayName });
    const location = pathOf(operations.getPrincipal, { principalId: principal.id });
    return reply.code(201).headers({ location }).send(principal);
  });

  serve(operations.getPrincipal, async (request) => {
    const actor = actorOf(request);
    authorize(actor, "principals:read", {});
    const { organizationId } = actor;
    const found = await withOrganization(db, organizationId, (tx) =>
      findPrincipal(tx, { organizationId, ...request.params }),
    );
    return existing(found);
  });

  serve(operations.renamePrincipal, (request) => {
    const { displayName } = request.body;
    return renamePrincipalAs(db, { ...by(request), ...request.params, displayName });
  });

  serve(operations.disablePrincipal, (request) =>
    setPrincipalDisabledAs(db, { ...by(request), ...request.params, disabled: true }),
  );
  serve(operations.enablePrincipal, (request) =>
    setPrincipalDisabledAs(db, { ...by(request), ...request.params, disabled: false }),
  );
}
