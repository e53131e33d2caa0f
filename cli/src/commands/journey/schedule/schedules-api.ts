import * as operations from "@waymark/shared/journey-schedules/operations.ts";
import { JourneySchedule, type JourneyScheduleRequest } from "@waymark/shared/journey-schedules/schema.ts";
import { listJourneys } from "@waymark/shared/journeys/operations.ts";
import { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { z } from "zod";
import { type ApiConnection, call, callWithoutResult } from "../../../api/api-client.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";
import { collectItems, readPages } from "../../../api/read-pages.ts";
import { isUuid } from "../../../lib/uuid.ts";

/** The fields of a schedule that the command shows or keeps, so that older and newer servers work too. */
const Schedule = JourneySchedule.pick({
  id: true,
  name: true,
  journeyId: true,
  journeyPath: true,
  version: true,
  environmentId: true,
  environmentName: true,
  cron: true,
  timeZone: true,
  overlap: true,
  catchUp: true,
  jitterSeconds: true,
  enabled: true,
  pausedReason: true,
  failuresInRow: true,
}).extend({
  nextTimes: z.array(z.string()),
  lastTick: z
    .object({
      dueAt: z.string(),
      outcome: z.string(),
      runId: z.string().nullable(),
      reason: z.string().nullable(),
    })
    .nullable(),
});
export type Schedule = z.infer<typeof Schedule>;

const Page = z.object({ schedules: z.array(Schedule), nextCursor: z.string().optional() });
const Journeys = z.object({ journeys: z.array(JourneyDocument.pick({ id: true, path: true })) });

export function fetchSchedules(connection: ApiConnection): Promise<Schedule[]> {
  const reading = { what: "listing schedules", read: Page };
  const pages = readPages(connection, operations.listJourneySchedules, reading);
  return collectItems(pages, ({ schedules }) => schedules);
}

/** The schedule with that name, or undefined if there is none. */
export async function findSchedule(connection: ApiConnection, given: string): Promise<Schedule | undefined> {
  const name = given.toWellFormed();
  const reading = { what: "finding the schedule", read: Page };
  const page = await call(connection, operations.listJourneySchedules, reading, { query: { name } });
  return page.schedules.find((schedule) => schedule.name === name);
}

/** @throws {CliError} if there is no schedule with that name */
export async function requireSchedule(connection: ApiConnection, name: string): Promise<Schedule> {
  const schedule = await findSchedule(connection, name);
  if (schedule !== undefined) return schedule;
  throw usageError(
    `There is no schedule "${printable(name, 100)}". waymark journey schedule list shows those that there are.`,
  );
}

/** The id of the journey with that path or id. @throws {CliError} if there is none with that path */
export async function requireJourneyId(connection: ApiConnection, pathOrId: string): Promise<string> {
  if (isUuid(pathOrId)) return pathOrId;
  const wanted = pathOrId.toWellFormed().replace(/^\.\//, "");
  const reading = { what: "finding the journey", read: Journeys };
  const { journeys } = await call(connection, listJourneys, reading, { query: { path: wanted } });
  const journey = journeys.find(({ path }) => path === wanted);
  if (journey !== undefined) return journey.id;
  throw usageError(
    `The server has no journey "${printable(pathOrId, 100)}". waymark journey push stores it there.`,
  );
}

/** Creates the schedule, or replaces the settings of the one with this id. */
export function storeSchedule(
  connection: ApiConnection,
  scheduleId: string | undefined,
  body: JourneyScheduleRequest,
): Promise<Schedule> {
  const reading = { what: "storing the schedule", read: Schedule };
  return scheduleId === undefined
    ? call(connection, operations.createJourneySchedule, reading, { body })
    : call(connection, operations.replaceJourneySchedule, reading, { params: { scheduleId }, body });
}

export function setPaused(
  connection: ApiConnection,
  scheduleId: string,
  isPaused: boolean,
): Promise<Schedule> {
  const params = { scheduleId };
  return isPaused
    ? call(
        connection,
        operations.pauseJourneySchedule,
        { what: "pausing the schedule", read: Schedule },
        { params },
      )
    : call(
        connection,
        operations.resumeJourneySchedule,
        { what: "resuming the schedule", read: Schedule },
        { params },
      );
}

export async function deleteSchedule(connection: ApiConnection, scheduleId: string): Promise<void> {
  const reading = { what: "removing the schedule" };
  await callWithoutResult(connection, operations.deleteJourneySchedule, reading, { params: { scheduleId } });
}
