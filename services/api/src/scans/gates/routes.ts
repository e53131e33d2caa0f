import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { findScanGates, storeScanGates } from "@waymark/server/scans/gates/queries.ts";
import { findScanRun } from "@waymark/server/scans/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import * as operations from "@waymark/shared/scans/gates/operations.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { completedRun } from "../../lib/completed-run.ts";
import type { Serve } from "../../lib/serve.ts";
import { authorizedRun } from "../authorized-run.ts";

/** Registers the routes that store and read the verdict of a run's gates. */
export function registerScanGatesRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.putScanGates, (request) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { scanRunId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const found = await findScanRun(tx, { organizationId, scanRunId });
      // The key that has submitted the run may say how it was judged.
      const isOwn = found !== null && found.createdByKeyId === apiKeyId;
      completedRun(isOwn ? found : authorizedRun(request, "endpoints:write", found));
      const { gates } = request.body;
      if (!(await storeScanGates(tx, { organizationId, scanRunId, apiKeyId, gates }))) {
        throw new AppError("gates_conflict", "Another key has stored the verdict of this run's gates.");
      }
      return { scanRunId, verdict: await findScanGates(tx, { organizationId, scanRunId }) };
    });
  });

  serve(operations.getScanGates, (request) => {
    const { organizationId } = actorOf(request);
    const { scanRunId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      authorizedRun(request, "endpoints:read", await findScanRun(tx, { organizationId, scanRunId }));
      return { scanRunId, verdict: await findScanGates(tx, { organizationId, scanRunId }) };
    });
  });
}
