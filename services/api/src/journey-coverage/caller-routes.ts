import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { endpointKey, joinPath } from "@waymark/server/journey-coverage/cover-operations.ts";
import {
  listServiceCallers,
  type ServiceCaller,
} from "@waymark/server/journey-coverage/operations.queries.ts";
import { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import { bindSources } from "@waymark/server/journeys/bindings.queries.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { findPreviousScanRun, findScanRun } from "@waymark/server/scans/queries.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { findServiceAndRun } from "@waymark/server/services/visible.queries.ts";
import { listServiceJourneys, listBrokenJourneys } from "@waymark/shared/journey-coverage/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { completedRun } from "../lib/completed-run.ts";
import { EVERY_JOURNEY, visibleJourneys } from "../lib/visible-journeys.ts";
import { accessedService, serviceOfRun } from "../lib/visible-services.ts";
import { readInventory } from "@waymark/server/journey-coverage/read/read-coverage.ts";
import type { CoverageRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

const CURSORS = listCursor(IdPosition, { list: "listServiceJourneys" });

/** Which journeys call a service, and which of them a scan breaks. */
export function registerCallerRoutes(serve: Serve, { db }: CoverageRouteDependencies): void {
  serve(listServiceJourneys, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { serviceId } = request.params;
    const { limit, cursor } = request.query;
    const cursors = CURSORS.below(serviceId);
    const afterId = cursors.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const service = await findServiceAndRun(tx, { organizationId, serviceId });
      authorize(actor, "services:read", accessedService(service));
      const journeyIds = visibleJourneys(actor);
      if (service === null) throw new AppError("not_found", "There is no service with this id.");
      await bindSources(tx, { organizationId, serviceId });
      const inventory = await keysOf(tx, {
        organizationId,
        serviceId,
        scanRunId: service.currentScanRunId,
      });
      const callers = await listServiceCallers(tx, {
        organizationId,
        serviceId,
        journeyIds,
        afterId,
        limit,
      });
      const { page, nextCursor } = cursors.page(byJourney(callers), limit, ({ journey }) => journey.id);
      const journeys = page.map(({ journey, operations }) => ({
        ...journey,
        operations: operations.map((operation) => ({
          ...operation,
          isInInventory: inventory.has(keyOf(serviceId, operation)),
        })),
      }));
      return { journeys, nextCursor };
    });
  });

  serve(listBrokenJourneys, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { scanRunId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const run = await findScanRun(tx, { organizationId, scanRunId });
      authorize(actor, "services:read", serviceOfRun(run));
      // A list without the journeys that the key may not read would say that the scan breaks none of them.
      authorize(actor, "journeys:read", EVERY_JOURNEY);
      if (run === null) throw new AppError("not_found", "There is no scan run with this id.");
      completedRun(run);
      const previous = await findPreviousScanRun(tx, { organizationId, scanRunId });
      const journeys =
        previous === null ? [] : await findBroken(tx, { organizationId, run, previousId: previous.id });
      return { scanRunId, against: previous?.id ?? null, journeys };
    });
  });
}

async function findBroken(
  tx: DatabaseTransactionConnection,
  { organizationId, run, previousId }: { organizationId: string; run: ScanRun; previousId: string },
): Promise<BrokenJourneys["journeys"]> {
  const { serviceId } = run;
  const before = await keysOf(tx, { organizationId, serviceId, scanRunId: previousId });
  const after = await keysOf(tx, { organizationId, serviceId, scanRunId: run.id });
  const gone = new Set([...before].filter((key) => !after.has(key)));
  if (gone.size === 0) return [];
  await bindSources(tx, { organizationId, serviceId });
  const callers = await listServiceCallers(tx, {
    organizationId,
    serviceId,
    journeyIds: null,
    afterId: null,
    limit: null,
  });
  const broken = callers.filter((caller) => gone.has(keyOf(serviceId, caller)));
  return byJourney(broken)
    .map(({ journey, operations }) => ({ ...journey, operations }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function keysOf(
  tx: DatabaseTransactionConnection,
  run: { organizationId: string; serviceId: string; scanRunId: string | null },
): Promise<Set<string>> {
  const endpoints = await readInventory(tx, run);
  return new Set(endpoints.map(({ method, path }) => endpointKey(run.serviceId, method, path)));
}

function keyOf(serviceId: string, { method, path, pathPrefix }: Omit<ServiceCaller, "journey">): string {
  return endpointKey(serviceId, method, joinPath(pathPrefix, path));
}

function byJourney(
  callers: readonly ServiceCaller[],
): { journey: ServiceCaller["journey"]; operations: Omit<ServiceCaller, "journey">[] }[] {
  return [...Map.groupBy(callers, ({ journey }) => journey.id).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return [{ journey: first.journey, operations: own }];
  });
}
