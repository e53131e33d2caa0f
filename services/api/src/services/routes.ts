import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { IdPosition, listCursor, TimePosition } from "@waymark/shared/lib/cursor.ts";
import { optionalWholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { text, Uuid } from "@waymark/shared/lib/schema.ts";
import { BRANCH_CHARS_MAX, SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { EndpointPosition, listServiceEndpoints } from "@waymark/shared/scans/inventory/queries.ts";
import { listRecentRuns, listScanRunsOfService } from "@waymark/shared/scans/queries.ts";
import { ScanRunPage, ServiceEndpointPage } from "@waymark/shared/scans/schema.ts";
import { findService, listServices } from "@waymark/shared/services/queries.ts";
import { Service, ServicePage, TREND_RUNS_MAX } from "@waymark/shared/services/schema.ts";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { ItemPageQuery, PageQuery } from "../lib/paging.ts";
import { visibleServices } from "../lib/visible-services.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { authorizedService } from "./authorized-service.ts";
import { registerServiceChangeRoute } from "./change-route.ts";

interface ServiceRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
}

const Params = z.object({ serviceId: Uuid });
const ServicesQuery = PageQuery.extend({
  name: text({ min: 1, max: SCAN_LIMITS.serviceNameMax }).optional().meta({
    description: "Only the service with exactly this name.",
  }),
  trend: optionalWholeNumber({ min: 0, max: TREND_RUNS_MAX, default: 0 }).meta({
    description: "The number of last runs in each service's `trend`. 0: no trend.",
  }),
});
const RunsQuery = PageQuery.extend({
  branch: text({ min: 1, max: BRANCH_CHARS_MAX }).optional().meta({
    description: "Only runs whose client named this branch in Waymark-Branch.",
  }),
});
const SERVICES = listCursor(IdPosition, { list: "listServices" });
const RUNS = listCursor(TimePosition, { list: "listServiceScanRuns" });
const ENDPOINTS = listCursor(EndpointPosition, { list: "listServiceEndpoints" });
const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse };

export function registerServiceRoutes(app: ZodApp, dependencies: ServiceRouteDependencies): void {
  const { db, authenticate } = dependencies;
  registerServiceChangeRoute(app, dependencies);
  app.get(
    "/api/services",
    {
      schema: {
        operationId: "listServices",
        summary: "List services",
        description: "Newest first. A key whose scope is limited to services gets these services only.",
        tags: ["services"],
        querystring: ServicesQuery,
        response: { 200: ServicePage, ...errors },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { limit, cursor, trend, name = null } = request.query;
      const afterId = SERVICES.read(cursor);
      return withOrganization(db, organizationId, async (tx) => {
        const serviceIds = await visibleServices(tx, actor, "services:read");
        const rows = await listServices(tx, { organizationId, serviceIds, name, limit, afterId });
        const { page, nextCursor } = SERVICES.page(rows, limit, (service) => service.id);
        const services = trend === 0 ? [...page] : await addTrends(tx, { organizationId, page, runs: trend });
        return { services, nextCursor };
      });
    },
  );

  app.get(
    "/api/services/:serviceId",
    {
      schema: {
        operationId: "getService",
        summary: "Read a service",
        tags: ["services"],
        params: Params,
        response: { 200: Service, ...errors, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const { organizationId } = actorOf(request);
      const { serviceId } = request.params;
      const service = await withOrganization(db, organizationId, (tx) =>
        findService(tx, { organizationId, serviceId }),
      );
      return authorizedService(request, service);
    },
  );

  app.get(
    "/api/services/:serviceId/scan-runs",
    {
      schema: {
        operationId: "listServiceScanRuns",
        summary: "List a service's scan runs",
        description:
          "Newest first, by the time of the scan: a late one, with an earlier Scanned-At, is where it belongs.",
        tags: ["services"],
        params: Params,
        querystring: RunsQuery,
        response: { 200: ScanRunPage, ...errors, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    (request) => {
      const { organizationId } = actorOf(request);
      const { serviceId } = request.params;
      const { limit, cursor, branch = null } = request.query;
      const cursors = RUNS.below(serviceId);
      const after = cursors.read(cursor);
      return withOrganization(db, organizationId, async (tx) => {
        authorizedService(request, await findService(tx, { organizationId, serviceId }));
        const rows = await listScanRunsOfService(tx, { organizationId, serviceId, branch, limit, after });
        const { page, nextCursor } = cursors.page(rows, limit, ({ position }) => position);
        return { scanRuns: page.map(({ run }) => run), nextCursor };
      });
    },
  );

  app.get(
    "/api/services/:serviceId/endpoints",
    {
      schema: {
        operationId: "listServiceEndpoints",
        summary: "List a service's current endpoints",
        description:
          "The endpoints of its current run, by path and method, with when each was first and last seen. If another run becomes current " +
          "between two pages, the next page is of that run.",
        tags: ["services"],
        params: Params,
        querystring: ItemPageQuery,
        response: { 200: ServiceEndpointPage, ...errors, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    (request) => {
      const { organizationId } = actorOf(request);
      const { serviceId } = request.params;
      const { limit, cursor } = request.query;
      const cursors = ENDPOINTS.below(serviceId);
      const after = cursors.read(cursor);
      return withOrganization(db, organizationId, async (tx) => {
        authorizedService(request, await findService(tx, { organizationId, serviceId }), "endpoints:read");
        const rows = await listServiceEndpoints(tx, { organizationId, serviceId, limit, after });
        const { page, nextCursor } = cursors.page(rows, limit, ({ position }) => position);
        return { endpoints: page.map((row) => row.endpoint), nextCursor };
      });
    },
  );
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
