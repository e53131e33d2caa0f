import {
  type AccessedResource,
  type Actor,
  denial,
  scopeAllows,
} from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { ScanGrant } from "@waymark/shared/scans/accept/queries.ts";
import type { NamedService } from "./recent-content.ts";

/** What a scan needs beside the permission to make or update its service. Without endpoints it needs less. */
const SCAN: readonly Permission[] = ["scans:create", "endpoints:write"];

/**
 * What the actor may do, as far as it can be told before the database has looked up the scan's service. What this does not
 * grant may still be allowed: `assertMayScan` decides, for the service that was found.
 *
 * @param service the one that the body names; undefined where the body was not read
 */
export function grantFor(actor: Actor, service: NamedService | undefined): ScanGrant {
  // `denial` would make an error for each, of which nobody reads more than that there is one.
  const may = (permission: Permission, resource: AccessedResource) =>
    [...SCAN, permission].every((needed) =>
      actor.scopes.some((scope) => scopeAllows(scope, needed, resource)),
    );
  const named = service === undefined ? {} : { serviceName: service.name };
  const id = service?.id;
  const mayUpdateById = id !== undefined && may("services:update", { ...named, serviceId: id });
  return {
    mayCreate: may("services:create", named),
    mayUpdate: may("services:update", named),
    serviceId: mayUpdateById ? id : null,
  };
}

/**
 * Every permission that the scan needs, checked against what it touches. A null `serviceId` means that the scan creates its
 * service.
 *
 * @throws AppError `permission_denied`, in words that do not tell whether there is such a service
 */
export function assertMayScan(
  actor: Actor,
  scan: { serviceId: string | null; serviceName: string; endpointCount: number },
): void {
  const { serviceName } = scan;
  // A service that does not exist yet has no id that a key could be bound to.
  const service = scan.serviceId === null ? { serviceName } : { serviceName, serviceId: scan.serviceId };
  const always: readonly Permission[] = scan.endpointCount > 0 ? SCAN : ["scans:create"];
  const error = denial(
    actor,
    [...always, scan.serviceId === null ? "services:create" : "services:update"],
    service,
  );
  if (error === undefined) return;
  throw denial(actor, [...always, "services:create", "services:update"], { serviceName }) ?? error;
}
