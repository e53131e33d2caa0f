import { withOrganization } from "@waymark/server/db/organization.ts";
import { findFlakyRun } from "@waymark/server/journey-runs/flaky.queries.ts";
import { listJourneyRuns } from "@waymark/server/journey-runs/queries.ts";
import { readJourneyStatistics } from "@waymark/server/journey-runs/statistics.queries.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import * as operations from "@waymark/shared/journey-runs/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { authorizeJourneyList } from "../lib/visible-journeys.ts";
import { findAuthorizedRun, type JourneyRunRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

const CURSORS = listCursor(IdPosition, { list: "listJourneyRuns" });

export function registerReadRunRoutes(serve: Serve, { db }: Pick<JourneyRunRouteDependencies, "db">): void {
  serve(operations.listJourneyRuns, async (request) => {
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
  });

  serve(operations.getJourneyStatistics, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { journeyId, environmentId } = request.query;
    authorizeJourneyList(actor, {
      workflowId: journeyId,
      ...(environmentId === undefined ? {} : { environmentId }),
    });
    return withOrganization(db, organizationId, (tx) =>
      readJourneyStatistics(tx, { organizationId, journeyId, environmentId: environmentId ?? null }),
    );
  });

  serve(operations.getJourneyRun, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { runId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const { run, inputs } = await findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" });
      const flakyWith = await findFlakyRun(tx, { organizationId, run });
      return { ...run, inputs, flakyWith };
    });
  });
}
