import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor, TimePosition } from "@waymark/server/lib/cursor.ts";
import { EndpointPosition, listServiceEndpoints } from "@waymark/server/scans/inventory.queries.ts";
import { listRecentRuns, listScanRunsOfService } from "@waymark/server/scans/queries.ts";
import { findService, listServices } from "@waymark/server/services/queries.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";
import { Service } from "@waymark/shared/services/schema.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { visibleServices, wantedBy } from "../lib/visible-services.ts";
import { authorizedService } from "./authorized-service.ts";
import { registerCurrentRunRoute } from "./current-run-route.ts";
import { registerServiceChangeRoute } from "./change-route.ts";
import { registerDeleteServiceRoute } from "./delete-route.ts";
import { registerUpdateServiceRoute } from "./update-route.ts";
import type { Serve } from "../lib/serve.ts";

interface ServiceRouteDependencies {
  db: DatabasePool;
}

const SERVICES = listCursor(IdPosition, { list: "listServices" });
const RUNS = listCursor(TimePosition, { list: "listServiceScanRuns" });
const ENDPOINTS = listCursor(EndpointPosition, { list: "listServiceEndpoints" });
export function registerServiceRoutes(serve: Serve, dependencies: ServiceRouteDependencies): void {
  const { db } = dependencies;
  registerServiceChangeRoute(serve, dependencies);
  registerCurrentRunRoute(serve, dependencies);
  registerUpdateServiceRoute(serve, dependencies);
  registerDeleteServiceRoute(serve, dependencies);
  serve(operations.listServices, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { limit, cursor, trend, name = null, archived } = request.query;
    const afterId = SERVICES.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const serviceIds = await visibleServices(tx, actor, "services:read");
      const rows = await listServices(tx, {
        organizationId,
        serviceIds,
        name,
        archived,
        wanted: wantedBy(actor, request.query),
        limit,
        afterId,
      });
      const { page, nextCursor } = SERVICES.page(rows, limit, (service) => service.id);
      const services = trend === 0 ? [...page] : await addTrends(tx, { organizationId, page, runs: trend });
      return { services, nextCursor };
    });
  });

  serve(operations.getService, async (request) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    const service = await withOrganization(db, organizationId, (tx) =>
      findService(tx, { organizationId, serviceId }),
    );
    return authorizedService(request, service);
  });

  serve(operations.listServiceScanRuns, (request) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    const { limit, cursor, branch = null } = request.query;
    const cursors = RUNS.below(serviceId);
    const after = cursors.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      authorizedService(request, await findServiceNames(tx, { organizationId, serviceId }));
      const rows = await listScanRunsOfService(tx, { organizationId, serviceId, branch, limit, after });
      const { page, nextCursor } = cursors.page(rows, limit, ({ position }) => position);
      return { scanRuns: page.map(({ run }) => run), nextCursor };
    });
  });

  serve(operations.listServiceEndpoints, (request) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    const { limit, cursor } = request.query;
    const cursors = ENDPOINTS.below(serviceId);
    const after = cursors.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      authorizedService(request, await findServiceNames(tx, { organizationId, serviceId }), "endpoints:read");
      const rows = await listServiceEndpoints(tx, { organizationId, serviceId, limit, after });
      const { page, nextCursor } = cursors.page(rows, limit, ({ position }) => position);
      return { endpoints: page.map((row) => row.endpoint), nextCursor };
    });
  });
}

async function addTrends(
  tx: DatabaseTransactionConnection,
  { organizationId, page, runs }: { organizationId: string; page: readonly Service[]; runs: number },
): Promise<Service[]> {
  const serviceIds = page.map((service) => service.id);
  const rows = await listRecentRuns(tx, { organizationId, serviceIds, limit: runs });
  const byService = Map.groupBy(rows, (row) => row.service_id);
  return page.map((service) => ({
    ...service,
    trend: (byService.get(service.id) ?? []).map((row) => ({
      scanRunId: row.id,
      scannedAt: row.ordered_at,
      endpointCount: row.endpoint_count,
      findingCount: row.finding_count,
    })),
  }));
}
