import { z } from "zod";
import { Uuid, text } from "../lib/schema.ts";
import { PageQuery } from "../operations/page-query.ts";
import {
  JourneySchedule,
  JourneySchedulePage,
  JourneyScheduleRequest,
  JourneyScheduleTickPage,
} from "./schema.ts";
import { NoContent, operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

const ScheduleParams = z.object({ scheduleId: Uuid });

const ListQuery = PageQuery.extend({
  journeyId: Uuid.optional(),
  environmentId: Uuid.optional(),
  name: text({ max: 200 }).optional().meta({ description: "Only the schedule with this name." }),
});

export const createJourneySchedule = operation({
  id: "createJourneySchedule",
  ...addresses.createJourneySchedule,
  summary: "Schedule a journey",
  description: "Runs it in an environment whenever a cron expression comes.",
  tag: "journey schedules",
  access: { needs: ["journeys:schedule"], within: ["environment", "workflow"] },
  body: JourneyScheduleRequest,
  responses: { 201: JourneySchedule },
  errors: [404, 409],
});

export const replaceJourneySchedule = operation({
  id: "replaceJourneySchedule",
  ...addresses.replaceJourneySchedule,
  summary: "Replace a schedule's settings",
  description: "Settings that are absent get their defaults. A paused schedule stays paused.",
  tag: "journey schedules",
  access: { needs: ["journeys:schedule"], within: ["environment", "workflow"] },
  params: ScheduleParams,
  body: JourneyScheduleRequest,
  responses: { 200: JourneySchedule },
  errors: [409],
});

export const deleteJourneySchedule = operation({
  id: "deleteJourneySchedule",
  ...addresses.deleteJourneySchedule,
  summary: "Delete a schedule",
  description: "With its ticks. Its runs stay.",
  tag: "journey schedules",
  access: { needs: ["journeys:schedule"], within: ["environment", "workflow"] },
  params: ScheduleParams,
  responses: { 204: NoContent },
});

export const pauseJourneySchedule = operation({
  id: "pauseJourneySchedule",
  ...addresses.pauseJourneySchedule,
  summary: "Pause a schedule",
  description: "A run that it has started goes on.",
  tag: "journey schedules",
  access: { needs: ["journeys:schedule"], within: ["environment", "workflow"] },
  params: ScheduleParams,
  responses: { 200: JourneySchedule },
});

export const resumeJourneySchedule = operation({
  id: "resumeJourneySchedule",
  ...addresses.resumeJourneySchedule,
  summary: "Resume a schedule",
  description: "It goes on with its next tick. Ticks of the pause are not made up for.",
  tag: "journey schedules",
  access: { needs: ["journeys:schedule"], within: ["environment", "workflow"] },
  params: ScheduleParams,
  responses: { 200: JourneySchedule },
});

export const listJourneySchedules = operation({
  id: "listJourneySchedules",
  ...addresses.listJourneySchedules,
  summary: "List schedules of journeys",
  description:
    "Newest first. A key whose scope is limited to a journey or an environment must name it in the query, or a schedule's name.",
  tag: "journey schedules",
  access: { needs: ["journeys:read"] },
  query: ListQuery,
  responses: { 200: JourneySchedulePage },
});

export const getJourneySchedule = operation({
  id: "getJourneySchedule",
  ...addresses.getJourneySchedule,
  summary: "Read a schedule",
  tag: "journey schedules",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: ScheduleParams,
  responses: { 200: JourneySchedule },
});

export const listJourneyScheduleTicks = operation({
  id: "listJourneyScheduleTicks",
  ...addresses.listJourneyScheduleTicks,
  summary: "List what became of a schedule's ticks",
  description: "Newest first. Ticks are kept for 90 days.",
  tag: "journey schedules",
  access: { needs: ["journeys:read"], within: ["environment", "workflow"] },
  params: ScheduleParams,
  query: PageQuery,
  responses: { 200: JourneyScheduleTickPage },
});
