import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { findIdsByName } from "@waymark/server/services/visible.queries.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { narrowServices } from "./visible-services.ts";

/**
 * Returns the ids of the services that a list is about, which may name one by its id, its name or an alias; null for all. One that the actor can't read is
 * like one that does not exist.
 *
 * @param wanted.visible the ids of the services that the actor may read; null for all
 */
export async function namedServices(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  wanted: {
    visible: readonly string[] | null;
    serviceId?: string | undefined;
    serviceName?: string | undefined;
  },
): Promise<readonly string[] | null> {
  const { visible, serviceId, serviceName } = wanted;
  const narrowed = narrowServices(visible, serviceId);
  if (serviceName === undefined) return narrowed;
  return findIdsByName(tx, {
    organizationId: actor.organizationId,
    serviceIds: narrowed,
    name: serviceName,
  });
}
