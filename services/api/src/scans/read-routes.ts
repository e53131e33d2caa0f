import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { ItemPosition, type ListCursor, listCursor } from "@waymark/shared/lib/cursor.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { listEndpoints, listFindings } from "@waymark/shared/scans/content/queries.ts";
import { findingIdOf } from "@waymark/shared/scans/finding-id.ts";
import { findScanRun } from "@waymark/shared/scans/queries.ts";
import { EndpointPage, FindingPage, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { ItemPageQuery } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { authorizedRun } from "./authorized-run.ts";

interface ReadRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
}

const ENDPOINTS = listCursor(ItemPosition, { list: "listScanRunEndpoints" });
const FINDINGS = listCursor(ItemPosition, { list: "listScanRunFindings" });
const Params = z.object({ scanRunId: Uuid });
const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse, 404: ErrorResponse };

export function registerScanRunRoutes(app: ZodApp, { db, authenticate }: ReadRouteDependencies): void {
  app.get(
    "/api/scan-runs/:scanRunId",
    {
      schema: {
        operationId: "getScanRun",
        summary: "Read a scan run",
        tags: ["scans"],
        params: Params,
        response: { 200: ScanRun, ...errors },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const { organizationId } = actorOf(request);
      const { scanRunId } = request.params;
      const run = await withOrganization(db, organizationId, (tx) =>
        findScanRun(tx, { organizationId, scanRunId }),
      );
      return authorizedRun(request, "services:read", run);
    },
  );

  app.get(
    "/api/scan-runs/:scanRunId/endpoints",
    {
      schema: {
        operationId: "listScanRunEndpoints",
        summary: "List a scan run's endpoints",
        description: "In submitted order. Empty until the run is completed.",
        tags: ["scans"],
        params: Params,
        querystring: ItemPageQuery,
        response: { 200: EndpointPage, ...errors },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const { page, nextCursor } = await readPage(db, request, {
        listItems: listEndpoints,
        cursors: ENDPOINTS,
      });
      return { endpoints: page.map((row) => row.endpoint), nextCursor };
    },
  );

  // Written out like that of the endpoints: the schemas are types, which one function for both would have to give up.
  app.get(
    "/api/scan-runs/:scanRunId/findings",
    {
      schema: {
        operationId: "listScanRunFindings",
        summary: "List a scan run's findings",
        description: "In submitted order. Empty until the run is completed.",
        tags: ["scans"],
        params: Params,
        querystring: ItemPageQuery,
        response: { 200: FindingPage, ...errors },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const read = await readPage(db, request, { listItems: listFindings, cursors: FINDINGS });
      const findings = read.page.map(({ finding }) => ({
        id: findingIdOf(read.run.serviceId, finding),
        ...finding,
      }));
      return { findings, nextCursor: read.nextCursor };
    },
  );
}

/** A page of a run's items, for a caller that may read them. */
function readPage<Row extends { position: ItemPosition }>(
  db: DatabasePool,
  request: FastifyRequest<{ Params: z.infer<typeof Params>; Querystring: z.infer<typeof ItemPageQuery> }>,
  {
    listItems,
    cursors,
  }: {
    listItems: (
      tx: Parameters<typeof listEndpoints>[0],
      page: Parameters<typeof listEndpoints>[1],
    ) => Promise<readonly Row[]>;
    cursors: ListCursor<ItemPosition>;
  },
) {
  const { organizationId } = actorOf(request);
  const { limit, cursor } = request.query;
  const { scanRunId } = request.params;
  const ofRun = cursors.below(scanRunId);
  const page = { organizationId, scanRunId, limit, after: ofRun.read(cursor) };
  return withOrganization(db, organizationId, async (tx) => {
    const run = authorizedRun(request, "endpoints:read", await findScanRun(tx, page));
    return { run, ...ofRun.page(await listItems(tx, page), limit, ({ position }) => position) };
  });
}
