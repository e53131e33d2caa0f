import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { rateLimitAddress } from "./limits/client-address.ts";

/**
 * Records that a browser signs in or out. A client can repeat this at will, so one event per key, client address and minute
 * is recorded.
 */
export function recordSession(
  db: DatabasePool,
  request: FastifyRequest,
  event: { key: IdentifiedKey; action: "session.created" | "session.ended" },
): Promise<void> {
  const { organizationId, apiKeyId } = event.key;
  return withOrganization(db, organizationId, (tx) =>
    insertAuditEvent(tx, {
      id: uuidv7(),
      organizationId,
      apiKeyId,
      action: event.action,
      actorKeyId: apiKeyId,
      address: request.ip,
      requestId: request.id,
      onceAMinute: `${event.action} ${apiKeyId} ${rateLimitAddress(request.ip)}`,
    }),
  );
}
