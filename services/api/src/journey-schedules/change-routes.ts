import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { JourneySchedule, JourneyScheduleRequest } from "@waymark/shared/journey-schedules/schema.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { createScheduleAs, deleteScheduleAs, replaceScheduleAs, setEnabledAs } from "./change-schedule.ts";
import { checkRhythm } from "./check-rhythm.ts";
import { SCHEDULE_ERRORS, type ScheduleRouteDependencies, ScheduleParams } from "./route-definitions.ts";

const ERRORS = { ...SCHEDULE_ERRORS, 404: ErrorResponse };
const tags = ["journey schedules"];

export function registerChangeScheduleRoutes(
  app: ZodApp,
  { db, authenticate, intervalMinutesMin }: ScheduleRouteDependencies,
): void {
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  app.post(
    "/api/journey-schedules",
    {
      schema: {
        operationId: "createJourneySchedule",
        summary: "Schedule a journey",
        description: "Runs it in an environment whenever a cron expression comes.",
        tags,
        body: JourneyScheduleRequest,
        response: { 201: JourneySchedule, ...ERRORS, 409: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const settings = checkRhythm(request.body, intervalMinutesMin);
      const schedule = await createScheduleAs(db, { ...by(request), settings });
      return reply.code(201).header("location", `/api/journey-schedules/${schedule.id}`).send(schedule);
    },
  );

  app.put(
    "/api/journey-schedules/:scheduleId",
    {
      schema: {
        operationId: "replaceJourneySchedule",
        summary: "Replace a schedule's settings",
        description: "Settings that are absent get their defaults. A paused schedule stays paused.",
        tags,
        params: ScheduleParams,
        body: JourneyScheduleRequest,
        response: { 200: JourneySchedule, ...ERRORS, 409: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const settings = checkRhythm(request.body, intervalMinutesMin);
      return replaceScheduleAs(db, { ...by(request), ...request.params, settings });
    },
  );

  app.delete(
    "/api/journey-schedules/:scheduleId",
    {
      schema: {
        operationId: "deleteJourneySchedule",
        summary: "Delete a schedule",
        description: "With its ticks. Its runs stay.",
        tags,
        params: ScheduleParams,
        response: { 204: z.null(), ...ERRORS },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      await deleteScheduleAs(db, { ...by(request), ...request.params });
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/api/journey-schedules/:scheduleId/pause",
    {
      schema: {
        operationId: "pauseJourneySchedule",
        summary: "Pause a schedule",
        description: "A run that it has started goes on.",
        tags,
        params: ScheduleParams,
        response: { 200: JourneySchedule, ...ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => setEnabledAs(db, { ...by(request), ...request.params, enabled: false }),
  );

  app.post(
    "/api/journey-schedules/:scheduleId/resume",
    {
      schema: {
        operationId: "resumeJourneySchedule",
        summary: "Resume a schedule",
        description: "It goes on with its next tick. Ticks of the pause are not made up for.",
        tags,
        params: ScheduleParams,
        response: { 200: JourneySchedule, ...ERRORS },
      },
      onRequest: authenticate,
    },
    async (request) => setEnabledAs(db, { ...by(request), ...request.params, enabled: true }),
  );
}
