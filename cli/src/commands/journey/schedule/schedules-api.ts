import { JourneySchedule, type JourneyScheduleRequest } from "@waymark/shared/journey-schedules/schema.ts";
import { z } from "zod";
import { type ApiConnection, call, callWithoutContent } from "../../../api-client.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";

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
const Journeys = z.object({ journeys: z.array(z.object({ id: z.string(), path: z.string() })) });

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export async function fetchSchedules(connection: ApiConnection): Promise<Schedule[]> {
  const schedules: Schedule[] = [];
  let cursor: string | undefined;
  do {
    const more = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await readPage(connection, "listing schedules", `limit=200${more}`);
    schedules.push(...page.schedules);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return schedules;
}

/** The schedule with that name, or undefined if there is none. */
export async function findSchedule(connection: ApiConnection, name: string): Promise<Schedule | undefined> {
  const wanted = name.toWellFormed();
  const page = await readPage(connection, "finding the schedule", `name=${encodeURIComponent(wanted)}`);
  return page.schedules.find((schedule) => schedule.name === wanted);
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
  if (UUID.test(pathOrId)) return pathOrId;
  const wanted = pathOrId.toWellFormed().replace(/^\.\//, "");
  const { journeys } = await call(connection, {
    what: "finding the journey",
    method: "GET",
    path: `/api/journeys?path=${encodeURIComponent(wanted)}`,
    schema: Journeys,
  });
  const journey = journeys.find(({ path }) => path === wanted);
  if (journey !== undefined) return journey.id;
  throw usageError(
    `The service has no journey "${printable(pathOrId, 100)}". waymark journey push stores it there.`,
  );
}

/** Creates the schedule, or replaces the settings of the one with this id. */
export function storeSchedule(
  connection: ApiConnection,
  id: string | undefined,
  settings: JourneyScheduleRequest,
): Promise<Schedule> {
  const request = {
    what: "storing the schedule",
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(settings)),
    schema: Schedule,
  };
  return id === undefined
    ? call(connection, { ...request, method: "POST", path: "/api/journey-schedules" })
    : call(connection, { ...request, method: "PUT", path: pathOf(id) });
}

export function setPaused(connection: ApiConnection, id: string, isPaused: boolean): Promise<Schedule> {
  return call(connection, {
    what: isPaused ? "pausing the schedule" : "resuming the schedule",
    method: "POST",
    path: `${pathOf(id)}/${isPaused ? "pause" : "resume"}`,
    schema: Schedule,
  });
}

export async function deleteSchedule(connection: ApiConnection, id: string): Promise<void> {
  await callWithoutContent(connection, {
    what: "removing the schedule",
    method: "DELETE",
    path: pathOf(id),
  });
}

function readPage(connection: ApiConnection, what: string, query: string) {
  return call(connection, { what, method: "GET", path: `/api/journey-schedules?${query}`, schema: Page });
}

function pathOf(id: string): string {
  return `/api/journey-schedules/${encodeURIComponent(id.toWellFormed())}`;
}
