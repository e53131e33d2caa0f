import {
  type Actor,
  authorize,
  denial,
  hasPermission,
  scopeAllows,
} from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { listServiceNames } from "@waymark/shared/services/visible/queries.ts";

/**
 * The ids of the services for which the actor has the permission; null if it has it for all.
 *
 * @throws AppError `permission_denied` if there is none
 */
export async function visibleServices(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  permission: Permission,
): Promise<readonly string[] | null> {
  if (denial(actor, [permission], {}) === undefined) return null;
  const services = hasPermission(actor, permission)
    ? await listServiceNames(tx, { organizationId: actor.organizationId })
    : [];
  const visible = services.filter(({ id, name }) =>
    actor.scopes.some((scope) => scopeAllows(scope, permission, { serviceId: id, serviceName: name })),
  );
  if (visible.length === 0) authorize(actor, permission, {});
  return visible.map(({ id }) => id);
}
