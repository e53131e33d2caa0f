import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { readComparisons } from "@waymark/server/scans/comparisons/queries.ts";
import { withOwners } from "@waymark/server/services/owners.queries.ts";
import { listPullRequests } from "@waymark/server/services/pull-requests.queries.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import type { ScannedPullRequestList } from "@waymark/shared/services/pull-requests/schema.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { visibleServices } from "../lib/visible-services.ts";

export function registerPullRequestsRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.listPullRequests, (request): Promise<ScannedPullRequestList> => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    return withOrganization(db, organizationId, async (tx) => {
      const serviceIds = await visibleServices(tx, actor, "endpoints:read", request.query);
      const { runs, count } = await listPullRequests(tx, { organizationId, serviceIds });
      const owned = await withOwners(tx, { organizationId, rows: runs });
      const scanRunIds = runs.map(({ scanRunId }) => scanRunId);
      const comparisons = await readComparisons(tx, { organizationId, scanRunIds });
      const pullRequests = owned.flatMap((run) => {
        const comparison = comparisons.get(run.scanRunId);
        return comparison === undefined ? [] : [{ ...run, comparison }];
      });
      return { pullRequests, count };
    });
  });
}
