import type { FastifyRequest } from "fastify";
import * as operations from "@waymark/shared/journey-schedules/operations.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { createScheduleAs, deleteScheduleAs, replaceScheduleAs, setEnabledAs } from "./change-schedule.ts";
import { checkRhythm } from "./check-rhythm.ts";
import { type ScheduleRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

export function registerChangeScheduleRoutes(
  serve: Serve,
  { db, intervalMinutesMin }: ScheduleRouteDependencies,
): void {
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  serve(operations.createJourneySchedule, async (request, reply) => {
    const settings = checkRhythm(request.body, intervalMinutesMin);
    const schedule = await createScheduleAs(db, { ...by(request), settings });
    return reply
      .code(201)
      .header("location", pathOf(operations.getJourneySchedule, { scheduleId: schedule.id }))
      .send(schedule);
  });

  serve(operations.replaceJourneySchedule, async (request) => {
    const settings = checkRhythm(request.body, intervalMinutesMin);
    return replaceScheduleAs(db, { ...by(request), ...request.params, settings });
  });

  serve(operations.deleteJourneySchedule, async (request, reply) => {
    await deleteScheduleAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });

  serve(operations.pauseJourneySchedule, async (request) =>
    setEnabledAs(db, { ...by(request), ...request.params, enabled: false }),
  );

  serve(operations.resumeJourneySchedule, async (request) =>
    setEnabledAs(db, { ...by(request), ...request.params, enabled: true }),
  );
}
