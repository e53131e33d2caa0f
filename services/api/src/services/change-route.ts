import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { listCursor, TimePosition } from "@waymark/server/lib/cursor.ts";
import { breakingChanges, separateRenamedParameters } from "@waymark/shared/scans/breaking-changes.ts";
import { compareRuns } from "@waymark/server/scans/compare-runs.ts";
import { readComparisons } from "@waymark/server/scans/comparisons/queries.ts";
import { type ChangedRun, listChangedRuns } from "@waymark/server/scans/timeline/queries.ts";
import { findServiceNames } from "@waymark/server/services/visible.queries.ts";
import type { ServiceChange } from "@waymark/shared/services/schema.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { authorizedService } from "./authorized-service.ts";
import type { Serve } from "../lib/serve.ts";

const CURSORS = listCursor(TimePosition, { list: "listServiceChanges" });

/** Registers the route for how a service changed, and by whom. */
export function registerServiceChangeRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.listServiceChanges, (request) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    const { limit, cursor } = request.query;
    const cursors = CURSORS.below(serviceId);
    const after = cursors.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      authorizedService(request, await findServiceNames(tx, { organizationId, serviceId }), "endpoints:read");
      const page = await listChangedRuns(tx, { organizationId, serviceId, limit, after });
      const scanRunIds = page.runs.map(({ id }) => id);
      const comparisons = await readComparisons(tx, { organizationId, scanRunIds });
      const changes: ServiceChange[] = [];
      for (const run of page.runs) {
        const comparison = comparisons.get(run.id);
        if (comparison !== undefined)
          changes.push({ ...(await countChanges(tx, organizationId, run)), comparison });
      }
      return {
        changes: changes.filter(isChange),
        nextCursor: page.nextAfter === null ? undefined : cursors.write(page.nextAfter),
      };
    });
  });
}

async function countChanges(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  run: ChangedRun,
): Promise<Omit<ServiceChange, "comparison">> {
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

/**
 * Not a run that only has the same items in another order, or the same description in other words. The first run is a change, even
 * without items, and so is one whose description differs in a way that is not known.
 */
function isChange({ against, endpoints, findings, comparison }: ServiceChange): boolean {
  const { breaking, maybe, safe } = comparison.counts ?? { breaking: 0, maybe: 0, safe: 0 };
  const counts = [...Object.values(endpoints), ...Object.values(findings), breaking, maybe, safe];
  return against === null || isUnknown(comparison) || counts.some((count) => count > 0);
}

function isUnknown({ status, reason }: ServiceChange["comparison"]): boolean {
  return status === "pending" || reason === "too_large" || reason === "failed";
}
