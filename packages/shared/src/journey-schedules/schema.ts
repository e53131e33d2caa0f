import { z } from "zod";
import { IsoDateTime, label, text, Uuid } from "../lib/schema.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "./limits.ts";

const { nameMax, cronMax, jitterPercentMax } = JOURNEY_SCHEDULE_LIMITS;

const Version = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

const Overlap = z.enum(["skip", "queue"]).meta({
  description:
    "If the run before has not ended: `skip` starts none, `queue` starts one as soon as it has, and at most one.",
});
const CatchUp = z.enum(["none", "one"]).meta({
  description:
    "After a time in which no worker ran: `none` waits for the next tick, `one` starts one run for all that were missed.",
});
const JitterSeconds = z
  .int()
  .min(0)
  .max(86_400)
  .meta({
    description: `Each tick starts up to so many seconds later. At most ${jitterPercentMax} % of the shortest interval.`,
  });

/** Creates a schedule, or replaces all of its settings. */
export const JourneyScheduleRequest = z
  .strictObject({
    name: label({ min: 1, max: nameMax }),
    journeyId: Uuid.meta({ description: "The journey or overlay." }),
    version: Version.nullable().default(null).meta({
      description:
        "The version that runs. Null: the newest at each tick; in a protected environment the released one.",
    }),
    environmentId: Uuid,
    cron: text({ min: 1, max: cronMax }).meta({
      description:
        "Minute, hour, day of the month, month, day of the week. Numbers, names of months and weekdays, *, lists, ranges and steps. If both days are limited, either of them is enough.",
      examples: ["30 2 * * MON-FRI"],
    }),
    timeZone: text({ min: 1, max: 64 })
      .default("UTC")
      .meta({ description: "An IANA name.", examples: ["Europe/Berlin"] }),
    overlap: Overlap.default("skip"),
    catchUp: CatchUp.default("none"),
    jitterSeconds: JitterSeconds.default(0),
  })
  .meta({ id: "JourneyScheduleRequest" });
export type JourneyScheduleRequest = z.infer<typeof JourneyScheduleRequest>;

export const JourneyScheduleTick = z
  .object({
    dueAt: IsoDateTime,
    outcome: z.enum(["started", "skipped", "missed", "refused"]).meta({
      description:
        "`skipped`: the run before had not ended, or a limit was reached. `missed`: no worker ran. `refused`: the journey could not be started.",
    }),
    runId: Uuid.nullable(),
    reason: z.string().nullable().meta({ description: "Why no run was started." }),
    decidedAt: IsoDateTime,
  })
  .meta({ id: "JourneyScheduleTick" });
export type JourneyScheduleTick = z.infer<typeof JourneyScheduleTick>;

export const JourneySchedule = z
  .object({
    id: Uuid,
    name: z.string(),
    journeyId: Uuid,
    journeyPath: z.string(),
    version: Version.nullable(),
    environmentId: Uuid,
    environmentName: z.string(),
    cron: z.string(),
    timeZone: z.string(),
    overlap: Overlap,
    catchUp: CatchUp,
    jitterSeconds: JitterSeconds,
    enabled: z.boolean(),
    pausedReason: z.string().nullable().meta({
      description: "Why the server paused it; null if it is not paused, or a key paused it.",
    }),
    failuresInRow: z.int().meta({
      description: "Runs in a row that did not pass or could not be started. Cancelled ones don't count.",
    }),
    nextTimes: z.array(IsoDateTime).meta({ description: "The next five. None while it is paused." }),
    lastTick: JourneyScheduleTick.nullable(),
    createdByKeyId: Uuid,
    updatedByKeyId: Uuid.meta({ description: "The key that its runs name." }),
    createdAt: IsoDateTime,
    updatedAt: IsoDateTime,
  })
  .meta({ id: "JourneySchedule" });
export type JourneySchedule = z.infer<typeof JourneySchedule>;

export const JourneySchedulePage = z
  .object({ schedules: z.array(JourneySchedule), nextCursor: z.string().optional() })
  .meta({ id: "JourneySchedulePage" });

export const JourneyScheduleTickPage = z
  .object({ ticks: z.array(JourneyScheduleTick), nextCursor: z.string().optional() })
  .meta({ id: "JourneyScheduleTickPage" });
