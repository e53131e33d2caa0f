import { type Actor, denial } from "@waymark/shared/api-keys/authorize.ts";
import { type AccessedResource, scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { ScanGrant } from "@waymark/server/scans/accept/queries.ts";
import type { NamedService } from "./recent-content.ts";

/** The permissions of a scan besides creating or updating its service. Without endpoints it needs fewer. */
const SCAN: readonly Permission[] = ["scans:create", "endpoints:write"];

/**
 * Returns the actor's permissions as far as they are known before the database has looked up the scan's service.
 * `accept_scan_run` applies them to the service that it finds, and is the guard. A scan that this doesn't grant may still be
 * allowed: `assertMayScan` decides for the service that was found.
 *
 * @param service the service that the body names
 */
export function grantFor(actor: Actor, service: NamedService | undefined): ScanGrant {
  // `denial` would create an error for each check, although only its existence matters here.
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
 * Checks every permission that the scan needs. A null `serviceId` means that the scan creates its service.
 *
 * @param sentName the service's name in the body, which may be an alias
 * @throws AppError `permission_denied`; the message doesn't show whether the service exists
 */
export function assertMayScan(
  actor: Actor,
  scan: { serviceId: string | null; serviceName: string; endpointCount: number },
  sentName: string,
): void {
  const { serviceName } = scan;
  // It was found by the name that the body has: its name, or an alias.
  const serviceAliases = [sentName];
  // A key can't be limited to the id of a service that doesn't exist yet.
  const service =
    scan.serviceId === null ? { serviceName } : { serviceName, serviceAliases, serviceId: scan.serviceId };
  const always: readonly Permission[] = scan.endpointCount > 0 ? SCAN : ["scans:create"];
  const error = denial(
    actor,
    [...always, scan.serviceId === null ? "services:create" : "services:update"],
    service,
  );
  if (error === undefined) return;
  throw denial(actor, [...always, "services:create", "services:update"], { serviceName }) ?? error;
}
