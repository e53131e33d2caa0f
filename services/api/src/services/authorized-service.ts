import type { ServiceNames } from "@waymark/server/services/visible.queries.ts";
import { authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "../lib/authenticate.ts";
import { accessedService } from "../lib/visible-services.ts";

/**
 * Finds a service if it exists and the key has the permissions for it. Without them, the response doesn't show
 * whether the service exists.
 *
 * @throws AppError `permission_denied` or `not_found`
 */
export function authorizedService<Found extends ServiceNames>(
  request: FastifyRequest,
  service: Found | null,
  permissions: Permission | readonly Permission[] = "services:read",
): Found {
  authorizeAll(actorOf(request), [permissions].flat(), accessedService(service));
  if (service === null) throw new AppError("not_found", "There is no service with this id.");
  return service;
}
