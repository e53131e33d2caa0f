import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { deleteService } from "@waymark/server/services/lifecycle.queries.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { validationError } from "../lib/zod-routes.ts";
import { authorizedService } from "./authorized-service.ts";

/** Registers the route that deletes a service. */
export function registerDeleteServiceRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.deleteService, async (request, reply) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    await withOrganization(db, organizationId, async (tx) => {
      const found = await findServiceNames(tx, { organizationId, serviceId });
      const { name } = authorizedService(request, found, "services:delete");
      if (request.query.name !== name) {
        throw validationError([
          {
            path: "name",
            message: "must be the present name of the service: that confirms which one is deleted",
          },
        ]);
      }
      if (!(await deleteService(tx, { organizationId, serviceId }))) return;
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "service.deleted",
        details: { serviceId, name },
        ...auditOriginOf(request),
      });
    });
    return reply.code(204).send(null);
  });
}
