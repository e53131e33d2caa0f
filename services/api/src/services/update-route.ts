import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { findService, setDefaultBranch } from "@waymark/server/services/queries.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { authorizedService } from "./authorized-service.ts";

/** Registers the route that changes a service. */
export function registerUpdateServiceRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.updateService, (request) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    const { defaultBranch } = request.body;
    return withOrganization(db, organizationId, async (tx) => {
      const found = await findService(tx, { organizationId, serviceId });
      const service = authorizedService(request, found, "services:update");
      if (defaultBranch === undefined) return service;
      if (!(await setDefaultBranch(tx, { organizationId, serviceId, defaultBranch }))) return service;
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "service.updated",
        details: { serviceId, defaultBranch },
        ...auditOriginOf(request),
      });
      return authorizedService(
        request,
        await findService(tx, { organizationId, serviceId }),
        "services:update",
      );
    });
  });
}
