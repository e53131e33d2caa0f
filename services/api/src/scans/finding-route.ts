import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { describeFindings } from "@waymark/server/scans/finding-decisions/describe-findings.ts";
import { findSeenFinding } from "@waymark/server/scans/inventory.queries.ts";
import { findScanRun } from "@waymark/server/scans/queries.ts";
import { ruleDocumentationOf } from "@waymark/shared/scans/rule-documentation.ts";
import * as operations from "@waymark/shared/scans/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { completedRun } from "../lib/completed-run.ts";
import { authorizedRun } from "./authorized-run.ts";
import type { Serve } from "../lib/serve.ts";

interface FindingRouteDependencies {
  db: DatabasePool;
}

/** Registers the route for one finding of a run, with since when its service has it. */
export function registerFindingRoute(serve: Serve, { db }: FindingRouteDependencies): void {
  serve(operations.getScanRunFinding, (request) => {
    const { organizationId } = actorOf(request);
    const { scanRunId, index } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const run = await findScanRun(tx, { organizationId, scanRunId });
      const { serviceId } = completedRun(authorizedRun(request, "endpoints:read", run));
      const seen = await findSeenFinding(tx, { organizationId, scanRunId, index });
      if (seen === null) throw new AppError("not_found", "The scan run has no finding at this place.");
      const [finding] = await describeFindings(tx, { organizationId, serviceId }, [seen.finding]);
      if (finding === undefined) throw new Error("a finding has no description");
      const { firstSeenAt, lastSeenAt, dueOn, isPastDue } = seen;
      const isOverdue = isPastDue && finding.decision === null;
      const documentationUrl = ruleDocumentationOf(finding.code);
      return { finding, firstSeenAt, lastSeenAt, dueOn, isOverdue, documentationUrl };
    });
  });
}
