import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { listAuditEvents } from "@waymark/shared/audit/queries.ts";
import { AuditAction, AuditEventPage } from "@waymark/shared/audit/schema.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { IdPosition, listCursor } from "@waymark/shared/lib/cursor.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { PageQuery } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";

const AuditQuery = PageQuery.extend({
  apiKeyId: Uuid.optional().meta({ description: "Only events about this key." }),
  actorKeyId: Uuid.optional().meta({ description: "Only actions and refused requests of this key." }),
  action: AuditAction.optional(),
});
const CURSORS = listCursor(IdPosition, { list: "listAuditEvents" });

export function registerAuditRoutes(
  app: ZodApp,
  { db, authenticate }: { db: DatabasePool; authenticate: Authenticate },
): void {
  app.get(
    "/api/audit-events",
    {
      schema: {
        operationId: "listAuditEvents",
        summary: "List audit events",
        description:
          "Newest first: changes of keys, promotions, sign-ins, operator commands, and refused requests of known keys (each at most once a minute).",
        tags: ["audit"],
        querystring: AuditQuery,
        response: {
          200: AuditEventPage,
          400: ErrorResponse,
          401: ErrorResponse,
          403: ErrorResponse,
          429: ErrorResponse,
        },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { limit, cursor, apiKeyId = null, actorKeyId = null, action = null } = request.query;
      const resource = apiKeyId === null ? {} : { resourceType: "api_key", resourceId: apiKeyId };
      authorize(actor, "audit:read", resource);
      const afterId = CURSORS.read(cursor);
      const rows = await withOrganization(db, organizationId, (tx) =>
        listAuditEvents(tx, { organizationId, limit, afterId, apiKeyId, actorKeyId, action }),
      );
      const { page, nextCursor } = CURSORS.page(rows, limit, (event) => event.id);
      return { auditEvents: [...page], nextCursor };
    },
  );
}
