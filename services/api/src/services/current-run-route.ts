import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { findLastRunOfBranch, findScanRun } from "@waymark/server/scans/queries.ts";
import { findServiceAndRun } from "@waymark/server/services/visible.queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { getCurrentScanRun } from "@waymark/shared/services/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { authorizedService } from "./authorized-service.ts";

export function registerCurrentRunRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(getCurrentScanRun, (request) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    const { branch } = request.query;
    return withOrganization(db, organizationId, async (tx) => {
      const { currentScanRunId: scanRunId } = authorizedService(
        request,
        await findServiceAndRun(tx, { organizationId, serviceId }),
      );
      if (branch !== undefined) {
        const last = await findLastRunOfBranch(tx, { organizationId, serviceId, branch });
        if (last === null) throw new AppError("not_found", "No completed run of this branch is stored.");
        return last;
      }
      const current = scanRunId === null ? null : await findScanRun(tx, { organizationId, scanRunId });
      if (current === null) throw new AppError("not_found", "No run of this service is current yet.");
      return current;
    });
  });
}
