import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool, PgPool } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { ItemPosition, type ListCursor, listCursor } from "@waymark/shared/lib/cursor.ts";
import { optionalWholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { WAIT_LIMITS } from "@waymark/shared/limits/limits.ts";
import { listEndpoints, listFindings } from "@waymark/shared/scans/content/queries.ts";
import { findingIdOf } from "@waymark/shared/scans/finding-id.ts";
import { readEndedScanRuns } from "@waymark/shared/scans/progress/queries.ts";
import { findScanRun } from "@waymark/shared/scans/queries.ts";
import { EndpointPage, FindingPage, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { ItemPageQuery } from "../lib/paging.ts";
import type { Waits } from "../lib/waits/waits.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { authorizedRun } from "./authorized-run.ts";

interface ReadRouteDependencies {
  db: DatabasePool;
  pool: PgPool;
  authenticate: Authenticate;
  waits: Waits;
}

const ENDPOINTS = listCursor(ItemPosition, { list: "listScanRunEndpoints" });
const FINDINGS = listCursor(ItemPosition, { list: "listScanRunFindings" });
const Params = z.object({ scanRunId: Uuid });
const RunQuery = z.strictObject({
  waitSeconds: optionalWholeNumber({ min: 0, max: WAIT_LIMITS.secondsMax, default: 0 }).meta({
    description: "How long to wait until the run is completed or failed.",
  }),
});
const errors = { 400: ErrorResponse, 401: ErrorResponse, 403: ErrorResponse, 404: ErrorResponse };

export function registerScanRunRoutes(
  app: ZodApp,
  { db, pool, authenticate, waits }: ReadRouteDependencies,
): void {
  const runWaits = waits.watch((rows) => readEndedScanRuns(pool, rows));
  app.get(
    "/api/scan-runs/:scanRunId",
    {
      schema: {
        operationId: "getScanRun",
        summary: "Read a scan run",
        description:
          "Can wait until the run is completed or failed: then the response has the run as it is, or as it is after `waitSeconds`. " +
          "`GET /api/limits` says how many requests may wait.",
        tags: ["scans"],
        params: Params,
        querystring: RunQuery,
        response: { 200: ScanRun, ...errors, 429: ErrorResponse },
      },
      config: { revalidates: true },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { scanRunId } = request.params;
      const { waitSeconds } = request.query;
      const read = async () => {
        const run = await withOrganization(db, organizationId, (tx) =>
          findScanRun(tx, { organizationId, scanRunId }),
        );
        return authorizedRun(request, "services:read", run);
      };
      const run = await read();
      if (waitSeconds === 0 || run.status !== "accepted") return run;
      await runWaits.until({ actor, reply, id: run.id, waitSeconds }, (isEnded) => isEnded);
      return read();
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
      config: { revalidates: true },
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
      config: { revalidates: true },
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
