import { withOrganization } from "@waymark/shared/db/organization.ts";
import { findFlakyRun } from "@waymark/shared/journey-runs/flaky/queries.ts";
import { listJourneyRuns } from "@waymark/shared/journey-runs/queries.ts";
import { JourneyRunDetail, JourneyRunPage, JourneyRunStatus } from "@waymark/shared/journey-runs/schema.ts";
import { IdPosition, listCursor } from "@waymark/shared/lib/cursor.ts";
import { IsoDateTime, Uuid } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import { PageQuery } from "../lib/paging.ts";
import { authorizeJourneyList } from "../lib/visible-journeys.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import {
  findAuthorizedRun,
  type JourneyRunRouteDependencies,
  RUN_ERRORS,
  RunParams,
} from "./route-definitions.ts";

const ListQuery = PageQuery.extend({
  journeyId: Uuid.optional(),
  environmentId: Uuid.optional(),
  status: JourneyRunStatus.optional(),
  origin: z.enum(["cloud", "uploaded"]).optional(),
  since: IsoDateTime.optional().meta({ description: "Created at this time or later." }),
});
const CURSORS = listCursor(IdPosition, { list: "listJourneyRuns" });

export function registerReadRunRoutes(
  app: ZodApp,
  { db, authenticate }: Pick<JourneyRunRouteDependencies, "db" | "authenticate">,
): void {
  app.get(
    "/api/journey-runs",
    {
      schema: {
        operationId: "listJourneyRuns",
        summary: "List runs of journeys",
        description:
          "Newest first. A key whose scope is limited to a journey or an environment must name it in the query.",
        tags: ["journey runs"],
        querystring: ListQuery,
        response: { 200: JourneyRunPage, 400: RUN_ERRORS[400], 401: RUN_ERRORS[401], 403: RUN_ERRORS[403] },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { limit, cursor, journeyId, environmentId, status, origin, since } = request.query;
      authorizeJourneyList(actor, {
        ...(journeyId === undefined ? {} : { workflowId: journeyId }),
        ...(environmentId === undefined ? {} : { environmentId }),
      });
      const rows = await withOrganization(db, organizationId, (tx) =>
        listJourneyRuns(tx, {
          organizationId,
          limit,
          afterId: CURSORS.read(cursor),
          filter: {
            journeyId: journeyId ?? null,
            environmentId: environmentId ?? null,
            status: status ?? null,
            origin: origin ?? null,
            since: since ?? null,
          },
        }),
      );
      const { page, nextCursor } = CURSORS.page(rows, limit, (run) => run.id);
      return { runs: [...page], nextCursor };
    },
  );

  app.get(
    "/api/journey-runs/:runId",
    {
      schema: {
        operationId: "getJourneyRun",
        summary: "Read a run of a journey",
        tags: ["journey runs"],
        params: RunParams,
        response: { 200: JourneyRunDetail, ...RUN_ERRORS },
      },
      config: { revalidates: true },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const { runId } = request.params;
      return withOrganization(db, organizationId, async (tx) => {
        const { run, inputs } = await findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" });
        const flakyWith = await findFlakyRun(tx, { organizationId, run });
        return { ...run, inputs, flakyWith };
      });
    },
  );
}
