import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { listServices } from "@waymark/server/services/queries.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { narrowServices, wantedBy } from "./visible-services.ts";

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
  const named = await listServices(tx, {
    organizationId: actor.organizationId,
    serviceIds: narrowed,
    name: serviceName,
    archived: false,
    wanted: wantedBy(actor, {}),
    limit: 1,
    afterId: null,
  });
  return named.map(({ id }) => id);
}
