import { type Actor, authorize, denial } from "@waymark/shared/api-keys/authorize.ts";
import { type AccessedResource, scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import type { ApiKeyScope, Permission } from "@waymark/shared/api-keys/schema.ts";
import type { FoundScanRun } from "@waymark/server/scans/queries.ts";
import type { WantedServices } from "@waymark/server/db/wanted-services.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { ServiceFilterFields } from "@waymark/shared/services/filter/schema.ts";
import { listServiceNames } from "@waymark/server/services/visible.queries.ts";

/** All services. A scope that is limited to the resource type alone is for all of them. */
export const EVERY_SERVICE: AccessedResource = { resourceType: "service" };

/** Returns a service as a resource that scopes may be limited to; nothing that any scope is limited to, if it does not exist. */
export function accessedService(
  service: { id: string; name: string; aliases: readonly string[] } | null,
): AccessedResource {
  if (service === null) return {};
  return { serviceId: service.id, serviceName: service.name, serviceAliases: service.aliases };
}

/** Returns the service of a run as such a resource. */
export function serviceOfRun(run: FoundScanRun | null): AccessedResource {
  if (run === null) return {};
  const { serviceId, serviceName, serviceAliases } = run;
  return { serviceId, serviceName, serviceAliases };
}

/**
 * Returns the ids of the services that pass the filter and for which the actor has the permission; null for all services. The list is empty if
 * its scopes are for services that do not exist, or not yet.
 *
 * @throws AppError `permission_denied` if no scope can be met by a service
 */
export async function visibleServices(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  permission: Permission,
  filter: ServiceFilterFields = {},
): Promise<readonly string[] | null> {
  return servicesWithAll(tx, actor, [permission], filter);
}

/**
 * Like `visibleServices`, for several permissions: each service has all of them.
 *
 * @throws AppError `permission_denied` if no scope of one of them can be met by a service
 */
export async function servicesWithAll(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  permissions: readonly Permission[],
  filter: ServiceFilterFields = {},
): Promise<readonly string[] | null> {
  const limited = permissions.filter(
    (permission) => denial(actor, [permission], EVERY_SERVICE) !== undefined,
  );
  const wanted = wantedBy(actor, filter);
  if (limited.length === 0 && wanted.labels.length === 0 && wanted.owner === null) return null;
  for (const permission of limited) {
    if (!actor.scopes.some((scope) => allowsSomeService(scope, permission))) {
      authorize(actor, permission, EVERY_SERVICE);
    }
  }
  const services = await listServiceNames(tx, { organizationId: actor.organizationId, wanted });
  const visible = services.filter((each) => {
    const service = accessedService(each);
    return limited.every((permission) =>
      actor.scopes.some((scope) => scopeAllows(scope, permission, service)),
    );
  });
  return visible.map(({ id }) => id);
}

/**
 * Returns the services of a list that may be limited to one. A service that the actor can't read has nothing, like one that does not exist.
 *
 * @param visible null for all services
 * @param serviceId undefined if all are wanted
 */
export function narrowServices(
  visible: readonly string[] | null,
  serviceId: string | undefined,
): readonly string[] | null {
  if (serviceId === undefined) return visible;
  const wanted = serviceId.toLowerCase();
  return visible === null || visible.includes(wanted) ? [wanted] : [];
}

/** Returns the services that a query wants. */
export function wantedBy({ userId }: Actor, { label, owner }: ServiceFilterFields): WantedServices {
  return { labels: label ?? [], owner: owner ?? null, userId: userId ?? null };
}

/** True if a service can exist that meets every constraint of the scope. */
function allowsSomeService(scope: ApiKeyScope, permission: Permission): boolean {
  const ids = scope.resourceConstraints?.["serviceIds"];
  // A team that owns nothing yet may own a service tomorrow.
  const { serviceIds: _, ...others } = scope.resourceConstraints ?? {};
  if (Array.isArray(ids) && ids.length === 0)
    return allowsSomeService({ ...scope, resourceConstraints: others }, permission);
  const serviceId = scope.serviceId ?? scope.resourceId ?? (Array.isArray(ids) ? String(ids[0]) : "any");
  const named = scope.resourceConstraints?.["serviceNames"];
  const names = Array.isArray(named) ? named.map((pattern) => String(pattern).replace(/\*$/, "")) : ["any"];
  return names.some((serviceName) => scopeAllows(scope, permission, { serviceId, serviceName }));
}
