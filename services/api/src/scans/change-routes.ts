import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { compareRuns } from "@waymark/server/scans/compare-runs.ts";
import { readComparisons } from "@waymark/server/scans/comparisons/queries.ts";
import { findPreviousScanRun, findScanRun } from "@waymark/server/scans/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { Comparison } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/scans/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { completedRun } from "../lib/completed-run.ts";
import { authorizedRun } from "./authorized-run.ts";
import type { OtherComparisons } from "./other-comparisons.ts";
import { otherVerdictPage, readVerdictPage } from "./read-verdict-page.ts";
import { registerPromotionRoutes } from "./promotion-routes.ts";
import type { Serve } from "../lib/serve.ts";

interface ChangeRouteDependencies {
  db: DatabasePool;
  others: OtherComparisons;
}

/** Registers the routes for comparing runs, and for promoting a run to its service's current one. */
export function registerScanChangeRoutes(serve: Serve, { db, others }: ChangeRouteDependencies): void {
  serve(operations.getScanRunChanges, async (request) => {
    const { organizationId } = actorOf(request);
    const { query } = request;
    const { scanRunId } = request.params;
    const found = await withOrganization(db, organizationId, async (tx) => {
      const run = await findScanRun(tx, { organizationId, scanRunId });
      const after = completedRun(authorizedRun(request, "endpoints:read", run));
      const before = await findBase(tx, request, { organizationId, scanRunId, against: query.against });
      const against = before?.id ?? null;
      const compared = await compareRuns(tx, { organizationId, beforeId: against, afterId: after.id });
      const comparison = await ownComparison(tx, { organizationId, scanRunId });
      const isPrevious = query.against === "previous";
      const changes = {
        scanRunId,
        against,
        previous: isPrevious ? against : comparison.against,
        ...compared,
      };
      if (isPrevious || against === null || against === comparison.against) {
        const page = await readVerdictPage(tx, { organizationId, scanRunId, comparison, query });
        return { changes, readPage: async () => page };
      }
      const texts = await others.find(tx, { organizationId, baseId: against, head: after });
      const readPage = async () =>
        otherVerdictPage(await others.compare(texts, against), { scanRunId, query });
      return { changes, readPage };
    });
    // Outside of the transaction.
    return { ...found.changes, ...(await found.readPage()) };
  });

  registerPromotionRoutes(serve, { db });
}

/** @throws AppError `not_found` */
async function ownComparison(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: { organizationId: string; scanRunId: string },
): Promise<Comparison> {
  const found = await readComparisons(tx, { organizationId, scanRunIds: [scanRunId] });
  const comparison = found.get(scanRunId);
  if (comparison === undefined) throw new AppError("not_found", "The scan run was deleted meanwhile.");
  return comparison;
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
