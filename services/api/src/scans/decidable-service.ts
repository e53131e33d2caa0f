import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import {
  findNamesOfServices,
  findServiceNames,
  type ServiceNames,
} from "@waymark/server/services/visible.queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FindingInService } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { FastifyRequest } from "fastify";
import { actorOf } from "../lib/authenticate.ts";
import { accessedService } from "../lib/visible-services.ts";

/**
 * Checks that the key has a permission for a service.
 *
 * @param serviceId undefined for that of something that does not exist
 * @param what the thing that a message calls missing
 * @returns the service, with its id as it is stored
 * @throws AppError `permission_denied` or `not_found`
 */
export async function authorizeService(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  permission: Permission,
  { serviceId, what = "service" }: { serviceId: string | undefined; what?: string },
): Promise<ServiceNames> {
  const actor = actorOf(request);
  const { organizationId } = actor;
  const found = serviceId === undefined ? null : await findServiceNames(tx, { organizationId, serviceId });
  authorize(actor, permission, accessedService(found));
  if (found === null) throw new AppError("not_found", `There is no ${what} with this id.`);
  return found;
}

/**
 * Checks that the key has a permission for each service of a list: by the same rule as for one, so that a list tells no more.
 *
 * @returns the services, each once
 * @throws AppError `permission_denied` or `not_found`
 */
export async function authorizeServices(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  permission: Permission,
  { serviceIds, list }: { serviceIds: readonly string[]; list: string },
): Promise<readonly ServiceNames[]> {
  const actor = actorOf(request);
  const wanted = serviceIds.map((id) => id.toLowerCase());
  const { organizationId } = actor;
  const ids = new Set(wanted);
  const found = await findNamesOfServices(tx, { organizationId, serviceIds: [...ids] });
  const services = new Map(found.map((service) => [service.id, service]));
  for (const id of ids) authorize(actor, permission, accessedService(services.get(id) ?? null));
  const missing = wanted.findIndex((id) => !services.has(id));
  if (missing !== -1)
    throw new AppError("not_found", `There is no service with the id of ${list}[${missing}].serviceId.`);
  return found;
}

/** Returns the texts of the findings of a list by their places in the request. */
export function textsOf(findings: readonly FindingInService[]): Record<string, string | null> {
  return Object.fromEntries(
    findings.flatMap(({ code, finding: { path, message } }, index) => [
      [`findings[${index}].code`, code],
      [`findings[${index}].finding.path`, path],
      [`findings[${index}].finding.message`, message],
    ]),
  );
}
