import { withOrganization } from "@waymark/shared/db/organization.ts";
import type { DatabasePool } from "@waymark/shared/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { wholeNumber } from "@waymark/shared/lib/query-fields.ts";
import { Uuid } from "@waymark/shared/lib/schema.ts";
import { findingIdOf } from "@waymark/shared/scans/finding-id.ts";
import { findSeenFinding } from "@waymark/shared/scans/inventory/queries.ts";
import { findScanRun } from "@waymark/shared/scans/queries.ts";
import { ruleDocumentationOf } from "@waymark/shared/scans/rule-documentation.ts";
import { FindingDetails, FINDINGS_MAX } from "@waymark/shared/scans/schema.ts";
import { z } from "zod";
import { actorOf, type Authenticate } from "../lib/authenticate.ts";
import { completedRun } from "../lib/completed-run.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { authorizedRun } from "./authorized-run.ts";

interface FindingRouteDependencies {
  db: DatabasePool;
  authenticate: Authenticate;
}

const Params = z.object({
  scanRunId: Uuid,
  index: wholeNumber({ min: 0, max: FINDINGS_MAX }).meta({
    description: "The finding's place in submitted order, from 0.",
  }),
});
const errors = {
  400: ErrorResponse,
  401: ErrorResponse,
  403: ErrorResponse,
  404: ErrorResponse,
  409: ErrorResponse,
};

/** Registers the route for one finding of a run, with since when its service has it. */
export function registerFindingRoute(app: ZodApp, { db, authenticate }: FindingRouteDependencies): void {
  app.get(
    "/api/scan-runs/:scanRunId/findings/:index",
    {
      schema: {
        operationId: "getScanRunFinding",
        summary: "Read a finding of a scan run",
        description:
          "With when a scan of its service first and last had it, and the page that explains its rule.",
        tags: ["scans"],
        params: Params,
        response: { 200: FindingDetails, ...errors },
      },
      config: { revalidates: true },
      onRequest: authenticate,
    },
    (request) => {
      const { organizationId } = actorOf(request);
      const { scanRunId, index } = request.params;
      return withOrganization(db, organizationId, async (tx) => {
        const run = await findScanRun(tx, { organizationId, scanRunId });
        const { serviceId } = completedRun(authorizedRun(request, "endpoints:read", run));
        const seen = await findSeenFinding(tx, { organizationId, scanRunId, index });
        if (seen === null) throw new AppError("not_found", "The scan run has no finding at this place.");
        const finding = { id: findingIdOf(serviceId, seen.finding), ...seen.finding };
        return { ...seen, finding, documentationUrl: ruleDocumentationOf(seen.finding.code) };
      });
    },
  );
}
