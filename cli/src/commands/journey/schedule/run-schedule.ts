import type { CliContext } from "../../../framework/context.ts";
import { EXIT_CODES, type ExitCode } from "../../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { printable } from "../../../lib/text.ts";
import { connect } from "../../../framework/connect.ts";
import type { ConnectionFlags } from "../../../framework/connection-flags.ts";
import {
  deleteSchedule,
  fetchSchedules,
  requireSchedule,
  type Schedule,
  setPaused,
} from "./schedules-api.ts";

type ScheduleFlags = ConnectionFlags & { schedule: string };
type JsonFlags = ConnectionFlags & { json: boolean | undefined };

const open = (context: CliContext, flags: ConnectionFlags) =>
  connect(context, createReporter(context.stderr, { quiet: false }), flags);

export async function printSchedules(context: CliContext, flags: JsonFlags): Promise<ExitCode> {
  const schedules = await fetchSchedules(await open(context, flags));
  if (flags.json === true) writeJson(context.stdout, schedules, 2);
  else if (schedules.length === 0) writeLine(context.stdout, "There are no schedules.");
  else
    for (const schedule of schedules)
      for (const line of describeSchedule(schedule)) writeLine(context.stdout, line);
  return EXIT_CODES.ok;
}

export async function pauseSchedule(
  context: CliContext,
  flags: ScheduleFlags & JsonFlags,
  isPaused: boolean,
): Promise<ExitCode> {
  const connection = await open(context, flags);
  const { id } = await requireSchedule(connection, flags.schedule);
  const schedule = await setPaused(connection, id, isPaused);
  if (flags.json === true) writeJson(context.stdout, schedule, 2);
  else {
    const done = isPaused ? "Paused" : "Resumed";
    writeLine(context.stdout, printable(`${done}: ${schedule.name}${nextOf(schedule)}`, 300));
  }
  return EXIT_CODES.ok;
}

export async function removeSchedule(context: CliContext, flags: ScheduleFlags): Promise<ExitCode> {
  const connection = await open(context, flags);
  const { id, name } = await requireSchedule(connection, flags.schedule);
  await deleteSchedule(connection, id);
  writeLine(context.stdout, `Removed: ${printable(name, 100)}`);
  return EXIT_CODES.ok;
}

/** Returns lines about a schedule: its journey, its times, and the outcome of its last tick. */
export function describeSchedule(schedule: Schedule): string[] {
  const { name, journeyPath, version, environmentName, cron, timeZone, lastTick, pausedReason } = schedule;
  const pinned = version === null ? "" : ` version ${version}`;
  const last =
    lastTick === null
      ? []
      : [`  last: ${lastTick.dueAt}  ${lastTick.outcome}${suffix(lastTick.runId ?? lastTick.reason)}`];
  const paused = schedule.enabled ? [] : [`  paused${suffix(pausedReason)}`];
  return [
    `${name}: ${journeyPath}${pinned} in ${environmentName}, at ${cron} ${timeZone}`,
    ...schedule.nextTimes.slice(0, 1).map((time) => `  next: ${time}`),
    ...paused,
    ...last,
  ].map((line) => printable(line, 500));
}

export function nextOf({ nextTimes: [next] }: Schedule): string {
  return next === undefined ? "" : ` (next: ${next})`;
}

function suffix(text: string | null): string {
  return text === null ? "" : `: ${text}`;
}
