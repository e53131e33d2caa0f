import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { listAuditEvents } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import * as operations from "@waymark/shared/audit/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";

const CURSORS = listCursor(IdPosition, { list: "listAuditEvents" });

export function registerAuditRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.listAuditEvents, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const {
      limit,
      cursor,
      apiKeyId = null,
      actorKeyId = null,
      actorPrincipalId = null,
      action = null,
    } = request.query;
    const resource = apiKeyId === null ? {} : { resourceType: "api_key", resourceId: apiKeyId };
    authorize(actor, "audit:read", resource);
    const afterId = CURSORS.read(cursor);
    const rows = await withOrganization(db, organizationId, (tx) =>
      listAuditEvents(tx, { organizationId, limit, afterId, apiKeyId, actorKeyId, actorPrincipalId, action }),
    );
    const { page, nextCursor } = CURSORS.page(rows, limit, (event) => event.id);
    return { auditEvents: [...page], nextCursor };
  });
}
