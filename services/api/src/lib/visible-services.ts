import {
  type AccessedResource,
  type Actor,
  authorize,
  denial,
  scopeAllows,
} from "@waymark/shared/api-keys/authorize.ts";
import type { ApiKeyScope, Permission } from "@waymark/shared/api-keys/schema.ts";
import type { DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { listServiceNames } from "@waymark/shared/services/visible/queries.ts";

const EVERY_SERVICE: AccessedResource = { resourceType: "service" };

/**
 * Returns the ids of the services for which the actor has the permission; null if it has it for all. The list is empty if its
 * scopes are for services that do not exist, or not yet.
 *
 * @throws AppError `permission_denied` if no scope can be met by a service
 */
export async function visibleServices(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  permission: Permission,
): Promise<readonly string[] | null> {
  if (denial(actor, [permission], EVERY_SERVICE) === undefined) return null;
  if (!actor.scopes.some((scope) => allowsSomeService(scope, permission))) {
    authorize(actor, permission, EVERY_SERVICE);
  }
  const services = await listServiceNames(tx, { organizationId: actor.organizationId });
  const visible = services.filter(({ id, name }) =>
    actor.scopes.some((scope) => scopeAllows(scope, permission, { serviceId: id, serviceName: name })),
  );
  return visible.map(({ id }) => id);
}

/** True if a service can exist that meets every constraint of the scope. */
function allowsSomeService(scope: ApiKeyScope, permission: Permission): boolean {
  const serviceId = scope.serviceId ?? scope.resourceId ?? "any";
  const named = scope.resourceConstraints?.["serviceNames"];
  const names = Array.isArray(named) ? named.map((pattern) => String(pattern).replace(/\*$/, "")) : ["any"];
  return names.some((serviceName) => scopeAllows(scope, permission, { serviceId, serviceName }));
}
