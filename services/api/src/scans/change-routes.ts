import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { compareRuns } from "@waymark/shared/scans/compare-runs.ts";
import { findPreviousScanRun, findScanRun } from "@waymark/shared/scans/queries.ts";
import { ScanChanges, type ScanRun } from "@waymark/shared/scans/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { completedRun } from "../lib/completed-run.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { authorizedRun } from "./authorized-run.ts";
import { registerPromotionRoutes } from "./promotion-routes.ts";

interface ChangeRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
}

const Params = z.object({ scanRunId: Uuid });
const errors = {
  400: ErrorResponse,
  401: ErrorResponse,
  403: ErrorResponse,
  404: ErrorResponse,
  409: ErrorResponse,
};

/** Registers the routes for comparing runs, and for promoting a run to its service's current one. */
export function registerScanChangeRoutes(app: ZodApp, { db, authenticate }: ChangeRouteDependencies): void {
  app.get(
    "/api/scan-runs/:scanRunId/changes",
    {
      schema: {
        operationId: "getScanRunChanges",
        summary: "Compare a scan run with another",
        description: "With the service's previous promoted run, or any other completed run by its id.",
        tags: ["scans"],
        params: Params,
        querystring: z.strictObject({ against: z.union([z.literal("previous"), Uuid]).default("previous") }),
        response: { 200: ScanChanges, ...errors },
      },
      config: { revalidates: true },
      onRequest: authenticate,
    },
    (request) => {
      const { organizationId } = actorOf(request);
      const { scanRunId } = request.params;
      return withOrganization(db, organizationId, async (tx) => {
        const run = await findScanRun(tx, { organizationId, scanRunId });
        const after = completedRun(authorizedRun(request, "endpoints:read", run));
        const options = { organizationId, scanRunId, against: request.query.against };
        const before = await findBase(tx, request, options);
        const against = before?.id ?? null;
        const changes = await compareRuns(tx, { organizationId, beforeId: against, afterId: after.id });
        return { scanRunId, against, ...changes };
      });
    },
  );

  registerPromotionRoutes(app, { db, authenticate });
}

async function findBase(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  options: { organizationId: string; scanRunId: string; against: string },
): Promise<ScanRun | null> {
  if (options.against === "previous") return findPreviousScanRun(tx, options);
  const base = await findScanRun(tx, { organizationId: options.organizationId, scanRunId: options.against });
  return completedRun(authorizedRun(request, "endpoints:read", base));
}
