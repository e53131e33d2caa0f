import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/shared/db/pool.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { listCursor, TimePosition } from "@waymark/shared/lib/cursor.ts";
import { optionalWholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { breakingChanges, separateRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import { compareRuns } from "@waymark/shared/scans/compare-runs.ts";
import { type ChangedRun, listChangedRuns } from "@waymark/shared/scans/timeline/queries.ts";
import { findService } from "@waymark/shared/services/queries.ts";
import {
  SERVICE_CHANGES_MAX,
  type ServiceChange,
  ServiceChangePage,
} from "@waymark/shared/services/schema.ts";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { PageQuery } from "../lib/paging.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { authorizedService } from "./authorized-service.ts";

const CURSORS = listCursor(TimePosition, { list: "listServiceChanges" });
/** Each change is a comparison of two runs, which this request makes: 200 would take seconds. */
const ChangesQuery = PageQuery.extend({
  limit: optionalWholeNumber({ min: 1, max: SERVICE_CHANGES_MAX, default: SERVICE_CHANGES_MAX }),
});

/** Registers the route for how a service changed, and by whom. */
export function registerServiceChangeRoute(
  app: ZodApp,
  { db, authenticate }: { db: DatabasePool; authenticate: Authenticate },
): void {
  app.get(
    "/api/services/:serviceId/changes",
    {
      schema: {
        operationId: "listServiceChanges",
        summary: "List a service's changes",
        description:
          "Newest first by the time of the scan: the promoted runs whose endpoints or findings differ from those of the promoted run before.",
        tags: ["services"],
        params: z.object({ serviceId: Uuid }),
        querystring: ChangesQuery,
        response: {
          200: ServiceChangePage,
          400: ErrorResponse,
          401: ErrorResponse,
          403: ErrorResponse,
          404: ErrorResponse,
        },
      },
      onRequest: authenticate,
    },
    (request) => {
      const { organizationId } = actorOf(request);
      const { serviceId } = request.params;
      const { limit, cursor } = request.query;
      const cursors = CURSORS.below(serviceId);
      const after = cursors.read(cursor);
      return withOrganization(db, organizationId, async (tx) => {
        authorizedService(request, await findService(tx, { organizationId, serviceId }), "endpoints:read");
        const page = await listChangedRuns(tx, { organizationId, serviceId, limit, after });
        const changes: ServiceChange[] = [];
        for (const run of page.runs) changes.push(await countChanges(tx, organizationId, run));
        return {
          changes: changes.filter(isChange),
          nextCursor: page.nextAfter === null ? undefined : cursors.write(page.nextAfter),
        };
      });
    },
  );
}

async function countChanges(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  run: ChangedRun,
): Promise<ServiceChange> {
  const { id, against, scanned_at, created_by_key_id, source } = run;
  const origin = {
    scanRunId: id,
    against,
    scannedAt: scanned_at,
    createdByKeyId: created_by_key_id,
    source,
  };
  if (against === null) {
    return {
      ...origin,
      endpoints: { added: run.endpoint_count, removed: 0, changed: 0 },
      findings: { new: run.finding_count, fixed: 0, removedWithEndpoint: 0, severityChanged: 0 },
      breaking: 0,
    };
  }
  const { endpoints, findings } = await compareRuns(tx, { organizationId, beforeId: against, afterId: id });
  const { added, removed, changed, parametersRenamed } = separateRenamedParameters(endpoints);
  const breaking = breakingChanges(endpoints);
  return {
    ...origin,
    endpoints: {
      added: added.length,
      removed: removed.length,
      changed: changed.length + parametersRenamed.length,
    },
    findings: {
      new: findings.new.length,
      fixed: findings.fixed.length,
      removedWithEndpoint: findings.removedWithEndpoint.length,
      severityChanged: findings.severityChanged.length,
    },
    breaking: breaking.removed.length + breaking.renamed.length,
  };
}

/** Not a run that only has the same items in another order. The first run is a change, even without items. */
function isChange({ against, endpoints, findings }: ServiceChange): boolean {
  return (
    against === null || [...Object.values(endpoints), ...Object.values(findings)].some((count) => count > 0)
  );
}
