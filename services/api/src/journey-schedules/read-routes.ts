import { withOrganization } from "@waymark/shared/db/organization.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { findSchedule, listSchedules, listTicks } from "@waymark/shared/journey-schedules/queries.ts";
import {
  JourneySchedule,
  JourneySchedulePage,
  JourneyScheduleTickPage,
} from "@waymark/shared/journey-schedules/schema.ts";
import { IdPosition, listCursor } from "@waymark/shared/lib/cursor.ts";
import { IsoDateTime, text, Uuid } from "@waymark/shared/lib/schema.ts";
import { actorOf } from "../lib/authenticate.ts";
import { PageQuery } from "../lib/paging.ts";
import { authorizeJourneyList } from "../lib/visible-journeys.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import {
  authorizedSchedule,
  SCHEDULE_ERRORS,
  ScheduleParams,
  type ScheduleRouteDependencies,
  withNextTimes,
} from "./route-definitions.ts";

const ListQuery = PageQuery.extend({
  journeyId: Uuid.optional(),
  environmentId: Uuid.optional(),
  name: text({ max: 200 }).optional().meta({ description: "Only the schedule with this name." }),
});
const TICKS = listCursor(IsoDateTime, { list: "listJourneyScheduleTicks" });
const SCHEDULES = listCursor(IdPosition, { list: "listJourneySchedules" });
const tags = ["journey schedules"];

export function registerReadScheduleRoutes(
  app: ZodApp,
  { db, authenticate }: Pick<ScheduleRouteDependencies, "db" | "authenticate">,
): void {
  app.get(
    "/api/journey-schedules",
    {
      schema: {
        operationId: "listJourneySchedules",
        summary: "List schedules of journeys",
        description:
          "Newest first. A key whose scope is limited to a journey or an environment must name it in the query, or a schedule's name.",
        tags,
        querystring: ListQuery,
        response: { 200: JourneySchedulePage, ...SCHEDULE_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => {
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
    },
  );

  app.get(
    "/api/journey-schedules/:scheduleId",
    {
      schema: {
        operationId: "getJourneySchedule",
        summary: "Read a schedule",
        tags,
        params: ScheduleParams,
        response: { 200: JourneySchedule, ...SCHEDULE_ERRORS, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const { organizationId } = actor;
      const found = await withOrganization(db, organizationId, (tx) =>
        findSchedule(tx, { organizationId, ...request.params }),
      );
      return withNextTimes(authorizedSchedule(actor, "journeys:read", found));
    },
  );

  app.get(
    "/api/journey-schedules/:scheduleId/ticks",
    {
      schema: {
        operationId: "listJourneyScheduleTicks",
        summary: "List what became of a schedule's ticks",
        description: "Newest first. Ticks are kept for 90 days.",
        tags,
        params: ScheduleParams,
        querystring: PageQuery,
        response: { 200: JourneyScheduleTickPage, ...SCHEDULE_ERRORS, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
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
    },
  );
}
