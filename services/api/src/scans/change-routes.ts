import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { compareRuns } from "@waymark/server/scans/compare-runs.ts";
import { findPreviousScanRun, findScanRun } from "@waymark/server/scans/queries.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/scans/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { completedRun } from "../lib/completed-run.ts";
import { authorizedRun } from "./authorized-run.ts";
import { readVerdictPage } from "./read-verdict-page.ts";
import { registerPromotionRoutes } from "./promotion-routes.ts";
import type { Serve } from "../lib/serve.ts";

interface ChangeRouteDependencies {
  db: DatabasePool;
}

/** Registers the routes for comparing runs, and for promoting a run to its service's current one. */
export function registerScanChangeRoutes(serve: Serve, { db }: ChangeRouteDependencies): void {
  serve(operations.getScanRunChanges, (request) => {
    const { organizationId } = actorOf(request);
    const { scanRunId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const run = await findScanRun(tx, { organizationId, scanRunId });
      const after = completedRun(authorizedRun(request, "endpoints:read", run));
      const options = { organizationId, scanRunId, against: request.query.against };
      const before = await findBase(tx, request, options);
      const against = before?.id ?? null;
      const changes = await compareRuns(tx, { organizationId, beforeId: against, afterId: after.id });
      const page = await readVerdictPage(tx, { organizationId, scanRunId, query: request.query });
      return { scanRunId, against, ...changes, ...page };
    });
  });

  registerPromotionRoutes(serve, { db });
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
