import { withOrganization } from "@waymark/server/db/organization.ts";
import { findSchedule, listSchedules, listTicks } from "@waymark/server/journey-schedules/queries.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { IsoDateTime } from "@waymark/shared/lib/schema.ts";
import * as operations from "@waymark/shared/journey-schedules/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { authorizeJourneyList } from "../lib/visible-journeys.ts";
import { authorizedSchedule, type ScheduleRouteDependencies, withNextTimes } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

const TICKS = listCursor(IsoDateTime, { list: "listJourneyScheduleTicks" });
const SCHEDULES = listCursor(IdPosition, { list: "listJourneySchedules" });

export function registerReadScheduleRoutes(
  serve: Serve,
  { db }: Pick<ScheduleRouteDependencies, "db">,
): void {
  serve(operations.listJourneySchedules, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { limit, cursor, journeyId = null, environmentId = null, name = null } = request.query;
    const afterId = SCHEDULES.read(cursor);
    const rows = await withOrganization(db, organizationId, (tx) =>
      listSchedules(tx, { organizationId, limit, afterId, filter: { journeyId, environmentId, name } }),
    );
    // A name is of one schedule: it is what the caller accesses.
    const named = name === null ? undefined : rows[0];
    const workflow = journeyId ?? named?.journeyId;
    const environment = environmentId ?? named?.environmentId;
    authorizeJourneyList(actor, {
      ...(workflow === undefined ? {} : { workflowId: workflow }),
      ...(environment === undefined ? {} : { environmentId: environment }),
    });
    const { page, nextCursor } = SCHEDULES.page(rows, limit, (schedule) => schedule.id);
    return { schedules: page.map(withNextTimes), nextCursor };
  });

  serve(operations.getJourneySchedule, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const found = await withOrganization(db, organizationId, (tx) =>
      findSchedule(tx, { organizationId, ...request.params }),
    );
    return withNextTimes(authorizedSchedule(actor, "journeys:read", found));
  });

  serve(operations.listJourneyScheduleTicks, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { limit, cursor } = request.query;
    const scheduleRef = { organizationId, ...request.params };
    const cursors = TICKS.below(request.params.scheduleId);
    const before = cursors.read(cursor);
    const rows = await withOrganization(db, organizationId, async (tx) => {
      authorizedSchedule(actor, "journeys:read", await findSchedule(tx, scheduleRef));
      return listTicks(tx, { ...scheduleRef, limit, before });
    });
    const { page, nextCursor } = cursors.page(rows, limit, (tick) => tick.dueAt);
    return { ticks: [...page], nextCursor };
  });
}
