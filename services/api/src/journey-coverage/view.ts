import { type Actor, authorizeAll, denial } from "@waymark/shared/api-keys/authorize.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import type { CoverageView } from "@waymark/server/journey-coverage/read/read-coverage.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { readableJourneys, visibleJourneys } from "../lib/visible-journeys.ts";
import { accessedService, servicesWithAll } from "../lib/visible-services.ts";

/** @throws AppError `permission_denied` */
export async function viewOf(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  {
    serviceId,
    service,
    environmentId,
  }: { serviceId: string | undefined; service: Service | null; environmentId: string | undefined },
): Promise<CoverageView> {
  const readsEnvironment =
    readableJourneys(actor)?.length === 0 &&
    environmentId !== undefined &&
    denial(actor, ["journeys:read"], { environmentId }) === undefined;
  const journeyIds = readsEnvironment ? null : visibleJourneys(actor);
  return {
    journeyIds,
    serviceIds: await readableServices(tx, actor, { isNamed: serviceId !== undefined, service }),
    onlyWhatRan: readsEnvironment,
  };
}

async function readableServices(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { isNamed, service }: { isNamed: boolean; service: Service | null },
): Promise<readonly string[] | null> {
  if (isNamed) {
    const resource = accessedService(service);
    authorizeAll(actor, ["services:read", "endpoints:read"], resource);
    return service === null ? [] : [service.id];
  }
  return servicesWithAll(tx, actor, ["services:read", "endpoints:read"]);
}
