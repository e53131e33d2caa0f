import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { insertAuditEvent } from "@waymark/shared/audit/queries.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { generateBadgeToken } from "@waymark/shared/services/badges/badge-token.ts";
import {
  deleteServiceBadge,
  findServiceBadge,
  replaceServiceBadge,
} from "@waymark/shared/services/badges/queries.ts";
import { CreatedServiceBadge, ServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import { findService } from "@waymark/shared/services/queries.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf, type Authenticate } from "../../lib/authenticate.ts";
import type { ZodApp } from "../../lib/zod-routes.ts";
import { authorizedService } from "../authorized-service.ts";

interface BadgeRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
  baseUrlOf: (request: FastifyRequest) => string;
}

const Params = z.object({ serviceId: Uuid });
const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse, 404: ErrorResponse };
/** Who makes a badge shows the status to everybody with its address, so must be able to read it. */
const TO_CREATE = ["services:read", "services:update"] as const;

/** Registers the routes that create, show and delete a service's badge. */
export function registerServiceBadgeRoutes(app: ZodApp, dependencies: BadgeRouteDependencies): void {
  registerReadRoute(app, dependencies);
  registerCreateRoute(app, dependencies);
  registerDeleteRoute(app, dependencies);
}

function registerReadRoute(app: ZodApp, { db, authenticate }: BadgeRouteDependencies): void {
  app.get(
    "/api/services/:serviceId/badge",
    {
      schema: {
        operationId: "getServiceBadge",
        summary: "Read whether a service has a badge",
        description: "The badge's address is not stored and not shown again.",
        tags: ["services"],
        params: Params,
        response: { 200: ServiceBadge, ...errors },
      },
      onRequest: authenticate,
    },
    (request) =>
      withOrganization(db, actorOf(request).organizationId, async (tx) => {
        const service = await authorizedRef(tx, request, ["services:read"]);
        return { badge: await findServiceBadge(tx, service) };
      }),
  );
}

function registerCreateRoute(app: ZodApp, { db, authenticate, baseUrlOf }: BadgeRouteDependencies): void {
  app.post(
    "/api/services/:serviceId/badge",
    {
      schema: {
        operationId: "createServiceBadge",
        summary: "Create a service's badge",
        description:
          "An image of the service's status that everybody with its address can see. Only this response contains the address. The address of an earlier badge stops working.",
        tags: ["services"],
        params: Params,
        response: { 201: CreatedServiceBadge, ...errors },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
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
    },
  );
}

function registerDeleteRoute(app: ZodApp, { db, authenticate }: BadgeRouteDependencies): void {
  app.delete(
    "/api/services/:serviceId/badge",
    {
      schema: {
        operationId: "deleteServiceBadge",
        summary: "Delete a service's badge",
        description: "Its address stops working; caches may show the image for another minute. Idempotent.",
        tags: ["services"],
        params: Params,
        response: { 204: z.null(), ...errors },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      await withOrganization(db, actorOf(request).organizationId, async (tx) => {
        const service = await authorizedRef(tx, request, ["services:update"]);
        if (!(await deleteServiceBadge(tx, service))) return;
        await recordChange(tx, request, { ...service, action: "service_badge.deleted" });
      });
      return reply.code(204).send(null);
    },
  );
}

/** @throws AppError `permission_denied` or `not_found` */
async function authorizedRef(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest<{ Params: z.infer<typeof Params> }>,
  permissions: readonly Permission[],
): Promise<{ organizationId: string; serviceId: string }> {
  const { organizationId } = actorOf(request);
  const found = await findService(tx, { organizationId, serviceId: request.params.serviceId });
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
