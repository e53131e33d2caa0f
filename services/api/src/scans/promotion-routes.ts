import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findScanRun, promoteScanRun, undoPromotion } from "@waymark/server/scans/queries.ts";
import { comparePromoted, compareWithout } from "@waymark/server/scans/comparisons/tasks.queries.ts";
import { PROMOTION_UNDO_MINUTES, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import * as operations from "@waymark/shared/scans/operations.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { authorizedRun } from "./authorized-run.ts";
import type { Serve } from "../lib/serve.ts";

const WHY_FINAL = {
  final: `No request promoted this run in the last ${PROMOTION_UNDO_MINUTES} minutes. To go back to an earlier description, scan it again.`,
  superseded:
    "Another run of this service was promoted since, so the one before this promotion would not be current again. To go back to an earlier description, scan it again.",
};

/** Registers the routes that promote a run to its service's current one, and that undo it. */
// oxlint-disable-next-line max-lines-per-function -- two routes
export function registerPromotionRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.promoteScanRun, (request) => {
    const { organizationId } = actorOf(request);
    const { scanRunId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const run = authorizedRun(
        request,
        "services:update",
        await findScanRun(tx, { organizationId, scanRunId }),
      );
      if (run.status === "failed") {
        throw new AppError("run_failed", "This scan run failed and can't become current.");
      }
      if (await promoteScanRun(tx, { organizationId, scanRunId })) {
        await comparePromoted(tx, { organizationId, scanRunId });
        await record(tx, request, { run, action: "scan_run.promoted" });
      }
      return { ...run, promoted: true };
    });
  });

  serve(operations.undoPromotion, (request) => {
    const { organizationId } = actorOf(request);
    const { scanRunId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const found = await findScanRun(tx, { organizationId, scanRunId });
      const run = authorizedRun(request, "services:update", found);
      if (!run.promoted) return run;
      const outcome = await undoPromotion(tx, { organizationId, scanRunId });
      if (outcome === "final" || outcome === "superseded")
        throw new AppError("promotion_final", WHY_FINAL[outcome]);
      // Another request may have undone it since the run was read.
      if (outcome === "undone") {
        await compareWithout(tx, { organizationId, scanRunId });
        await record(tx, request, { run, action: "scan_run.promotion_undone" });
      }
      return { ...run, promoted: false };
    });
  });
}

function record(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  { run, action }: { run: ScanRun; action: "scan_run.promoted" | "scan_run.promotion_undone" },
): Promise<void> {
  return insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId: actorOf(request).organizationId,
    apiKeyId: null,
    action,
    details: { scanRunId: run.id, serviceId: run.serviceId },
    ...auditOriginOf(request),
  });
}
