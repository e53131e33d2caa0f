import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { generateBadgeToken } from "@waymark/server/services/badges/badge-token.ts";
import {
  deleteServiceBadge,
  findServiceBadge,
  replaceServiceBadge,
} from "@waymark/server/services/badges/queries.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import * as operations from "@waymark/shared/services/badges/operations.ts";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { authorizedService } from "../authorized-service.ts";
import type { RequestOf, Serve } from "../../lib/serve.ts";

interface BadgeRouteDependencies {
  db: DatabasePool;
  baseUrlOf: (request: FastifyRequest) => string;
}

/**
 * The permissions to create a badge. It shows the status to everybody with its address, so its creator must be able to
 * read it.
 */
const TO_CREATE = ["services:read", "services:update"] as const;

/** Registers the routes that create, show and delete a service's badge. */
export function registerServiceBadgeRoutes(serve: Serve, dependencies: BadgeRouteDependencies): void {
  registerReadRoute(serve, dependencies);
  registerCreateRoute(serve, dependencies);
  registerDeleteRoute(serve, dependencies);
}

function registerReadRoute(serve: Serve, { db }: BadgeRouteDependencies): void {
  serve(operations.getServiceBadge, (request) =>
    withOrganization(db, actorOf(request).organizationId, async (tx) => {
      const service = await authorizedRef(tx, request, ["services:read"]);
      return { badge: await findServiceBadge(tx, service) };
    }),
  );
}

function registerCreateRoute(serve: Serve, { db, baseUrlOf }: BadgeRouteDependencies): void {
  serve(operations.createServiceBadge, async (request, reply) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { token, tokenHash } = generateBadgeToken();
    const created = await withOrganization(db, organizationId, async (tx) => {
      const service = await authorizedRef(tx, request, TO_CREATE);
      const stored = await replaceServiceBadge(tx, { ...service, tokenHash, createdByKeyId: apiKeyId });
      await recordChange(tx, request, { ...service, action: "service_badge.created" });
      const url = `${baseUrlOf(request)}/badge/${service.serviceId}.svg?token=${token}`;
      return { ...stored, url };
    });
    return reply.code(201).send(created);
  });
}

function registerDeleteRoute(serve: Serve, { db }: BadgeRouteDependencies): void {
  serve(operations.deleteServiceBadge, async (request, reply) => {
    await withOrganization(db, actorOf(request).organizationId, async (tx) => {
      const service = await authorizedRef(tx, request, ["services:update"]);
      if (!(await deleteServiceBadge(tx, service))) return;
      await recordChange(tx, request, { ...service, action: "service_badge.deleted" });
    });
    return reply.code(204).send(null);
  });
}

/** @throws AppError `permission_denied` or `not_found` */
async function authorizedRef(
  tx: DatabaseTransactionConnection,
  request: RequestOf<typeof operations.getServiceBadge>,
  permissions: readonly Permission[],
): Promise<{ organizationId: string; serviceId: string }> {
  const { organizationId } = actorOf(request);
  const found = await findServiceNames(tx, { organizationId, serviceId: request.params.serviceId });
  const { id: serviceId } = authorizedService(request, found, permissions);
  return { organizationId, serviceId };
}

function recordChange(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  change: {
    organizationId: string;
    serviceId: string;
    action: "service_badge.created" | "service_badge.deleted";
  },
): Promise<void> {
  const { organizationId, serviceId, action } = change;
  return insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action,
    details: { serviceId },
    ...auditOriginOf(request),
  });
}
