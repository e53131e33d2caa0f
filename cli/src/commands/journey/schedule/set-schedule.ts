import type { OptionsOf } from "../../../framework/base-command.ts";
import type { ScheduleSetCommand } from "./set.ts";
import type { JourneyScheduleRequest } from "@waymark/shared/journey-schedules/schema.ts";
import type { ApiConnection } from "../../../api/api-client.ts";
import type { CliContext } from "../../../framework/context.ts";
import { requireEnvironment } from "../../../api/environments-api.ts";
import { EXIT_CODES, type ExitCode, usageError } from "../../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { printable } from "../../../lib/text.ts";
import { connect } from "../../../framework/connect.ts";
import { nextOf } from "./run-schedule.ts";
import { findSchedule, requireJourneyId, type Schedule, storeSchedule } from "./schedules-api.ts";

type SetScheduleFlags = OptionsOf<ScheduleSetCommand>;

const DEFAULT_ZONE = "UTC";

type Given = Pick<JourneyScheduleRequest, "version" | "overlap" | "catchUp" | "jitterSeconds">;

/** Creates the schedule, or changes the settings that the options name. */
export async function setSchedule(context: CliContext, flags: SetScheduleFlags): Promise<ExitCode> {
  const given = readGiven(flags);
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const before = await findSchedule(connection, flags.schedule);
  if (before === undefined) assertComplete(flags);
  const target = await findTarget(connection, flags, before);
  const schedule = await storeSchedule(connection, before?.id, {
    version: null,
    overlap: "skip",
    catchUp: "none",
    jitterSeconds: 0,
    ...(before === undefined ? {} : settingsOf(before)),
    ...given,
    ...target,
    name: flags.rename ?? before?.name ?? flags.schedule,
    cron: flags.cron ?? before?.cron ?? "",
    timeZone: flags.timeZone ?? before?.timeZone ?? DEFAULT_ZONE,
  });
  if (flags.json === true) writeJson(context.stdout, schedule, 2);
  else {
    const done = before === undefined ? "Created" : "Changed";
    const paused = schedule.enabled ? nextOf(schedule) : " (paused)";
    writeLine(context.stdout, printable(`${done}: ${schedule.name}${paused}`, 300));
  }
  return EXIT_CODES.ok;
}

function readGiven(flags: SetScheduleFlags): Partial<Given> {
  const { pin, overlap, catchUp, jitter } = flags;
  if (pin !== undefined && pin !== "head" && !/^[1-9]\d{0,8}$/.test(pin))
    throw usageError("--pin takes a version, such as 3, or head for the newest.");
  if (overlap !== undefined && overlap !== "skip" && overlap !== "queue")
    throw usageError("--overlap takes skip or queue.");
  if (catchUp !== undefined && catchUp !== "none" && catchUp !== "one")
    throw usageError("--catch-up takes none or one.");
  if (jitter !== undefined && !/^\d{1,5}$/.test(jitter))
    throw usageError("--jitter takes whole seconds, such as 30.");
  return {
    ...(pin === undefined ? {} : { version: pin === "head" ? null : Number(pin) }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(catchUp === undefined ? {} : { catchUp }),
    ...(jitter === undefined ? {} : { jitterSeconds: Number(jitter) }),
  };
}

function assertComplete({ schedule, journey, env, cron }: SetScheduleFlags): void {
  const missing = Object.entries({ "--journey": journey, "--env": env, "--cron": cron }).flatMap(
    ([option, value]) => (value === undefined ? [option] : []),
  );
  if (missing.length === 0) return;
  throw usageError(`The new schedule "${printable(schedule, 100)}" also needs ${missing.join(", ")}.`);
}

async function findTarget(
  connection: ApiConnection,
  { journey, env }: SetScheduleFlags,
  before: Schedule | undefined,
): Promise<Pick<JourneyScheduleRequest, "journeyId" | "environmentId">> {
  return {
    journeyId:
      journey === undefined ? (before?.journeyId ?? "") : await requireJourneyId(connection, journey),
    environmentId:
      env === undefined ? (before?.environmentId ?? "") : (await requireEnvironment(connection, env)).id,
  };
}

function settingsOf({ version, overlap, catchUp, jitterSeconds }: Schedule): Given {
  return { version, overlap, catchUp, jitterSeconds };
}
