import { isTimeZone, nextTimes } from "@waymark/server/journey-schedules/cron/next-times.ts";
import {
  CronError,
  parseCron,
  shortestIntervalMinutes,
} from "@waymark/server/journey-schedules/cron/parse-cron.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "@waymark/shared/journey-schedules/limits.ts";
import type { JourneyScheduleRequest } from "@waymark/shared/journey-schedules/schema.ts";
import { validationError } from "../lib/zod-routes.ts";

/**
 * The settings with the expression in its stored form.
 *
 * @throws AppError `validation_failed` for an expression or a zone that is none, a date that never comes, an interval that is
 *   too short, or a jitter that is too long
 */
export function checkRhythm(
  settings: JourneyScheduleRequest,
  intervalMinutesMin: number,
): JourneyScheduleRequest {
  const { timeZone, jitterSeconds } = settings;
  if (!isTimeZone(timeZone))
    throw fault("timeZone", "is not a time zone that this server knows: use a name such as Europe/Berlin");
  const times = parse(settings.cron);
  const interval = shortestIntervalMinutes(times);
  if (interval < intervalMinutesMin) {
    throw fault(
      "cron",
      `comes twice within ${minutes(interval)}: the shortest interval is ${minutes(intervalMinutesMin)}`,
    );
  }
  const { jitterPercentMax } = JOURNEY_SCHEDULE_LIMITS;
  const jitterSecondsMax = Math.floor((interval * 60 * jitterPercentMax) / 100);
  if (jitterSeconds > jitterSecondsMax) {
    throw fault(
      "jitterSeconds",
      `must be at most ${jitterSecondsMax}, ${jitterPercentMax} % of the shortest interval`,
    );
  }
  if (nextTimes({ cron: times.text, timeZone }, new Date(), 1).length === 0)
    throw fault("cron", "never comes: field 3 (day of the month) has no day that these months have");
  return { ...settings, cron: times.text };
}

function parse(cron: string) {
  try {
    return parseCron(cron);
  } catch (error) {
    if (error instanceof CronError) throw fault("cron", error.message);
    throw error;
  }
}

function minutes(count: number): string {
  return count === 1 ? "1 minute" : `${count} minutes`;
}

function fault(path: string, message: string) {
  return validationError([{ path, message }]);
}
