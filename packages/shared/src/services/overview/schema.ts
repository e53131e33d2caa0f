import { z } from "zod";
import { CoverageShare } from "../../journey-coverage/schema.ts";
import { IsoDateTime, Uuid } from "../../lib/schema.ts";
import { TeamSummary } from "../../principals/team-names/schema.ts";
import { FindingCounts, ScanRunError } from "../../scans/schema.ts";
import { ScanSource } from "../../scans/source/schema.ts";
import { Snooze } from "../snoozes/schema.ts";

/** For how many days changes and new services are in the overview. */
export const RECENT_DAYS = 7;
/** How many days before their end keys are in the overview. */
export const EXPIRING_DAYS = 14;
/** How many rows each list has by default, and may have. */
export const OVERVIEW_ROWS = 20;
export const OVERVIEW_ROWS_MAX = 2_000;

/** A reason why a service needs attention. The kinds are in the order in which they are listed, the worst first. */
export const ConcernKind = z
  .enum(["breaking", "removed", "gates", "held", "failed", "severe", "accepted"])
  .meta({
    id: "ConcernKind",
    description:
      `\`breaking\`: the last change of the description, at most ${RECENT_DAYS} days old, breaks clients, and not all of it is approved. ` +
      `\`removed\`: the last change, at most ${RECENT_DAYS} days old, removed endpoints, and no descriptions were compared. ` +
      "`gates`: the last scan failed a gate and was not promoted. `held`: it was not promoted, and no gate is known that failed. " +
      "`failed`: the last scan failed. None of these counts scans of " +
      "pull requests, tags and branches other than the default one, unless they were promoted. " +
      "`severe`: the last change brought critical or high findings, or raised others to that. " +
      "`accepted`: as `breaking`, and all that breaks clients is approved.",
  });
export type ConcernKind = z.infer<typeof ConcernKind>;

/** Why a service needs attention. */
export const ServiceConcern = z
  .object({
    kind: ConcernKind,
    serviceId: Uuid,
    serviceName: z.string(),
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service." }),
    since: IsoDateTime.meta({
      description:
        "`gates`, `held`, `failed`: the first such scan since the last promoted one. Otherwise when it changed.",
    }),
    scanRunId: Uuid.meta({
      description: "`gates`, `held`, `failed`: the last scan. Otherwise the one that changed it.",
    }),
    source: ScanSource.nullable(),
    failedGates: z.array(z.string()).meta({
      description: "Of `gates`: those that failed, as the client of the scan says.",
    }),
    error: ScanRunError.nullable().meta({ description: "Of `failed`." }),
    breakingChanges: z.int().meta({ description: "Of `breaking` and `accepted`, with the approved ones." }),
    approvedChanges: z.int().meta({ description: "Of `breaking` and `accepted`: those that are approved." }),
    removedEndpoints: z.int(),
    newCritical: z.int(),
    newHigh: z.int(),
  })
  .meta({ id: "ServiceConcern" });
export type ServiceConcern = z.infer<typeof ServiceConcern>;

/** A service with findings that are overdue. */
export const OverdueService = z
  .object({
    serviceId: Uuid,
    serviceName: z.string(),
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service." }),
    overdueFindingCount: z.int(),
    oldestDueOn: z.iso.date().meta({ description: "The day (UTC) on which the first of them was due." }),
    state: z.string().meta({
      description: "A text that is another one when others are overdue: it says nothing else.",
    }),
  })
  .meta({ id: "OverdueService" });
export type OverdueService = z.infer<typeof OverdueService>;

export const NewService = z
  .object({
    serviceId: Uuid,
    serviceName: z.string(),
    ownerTeam: TeamSummary.nullable().meta({ description: "The team that owns the service." }),
    createdAt: IsoDateTime,
    endpointCount: z.int().nullable(),
    findingCount: z.int().nullable(),
  })
  .meta({ id: "NewService" });
export type NewService = z.infer<typeof NewService>;

export const ExpiringKey = z
  .object({
    apiKeyId: Uuid,
    name: z.string(),
    prefix: z.string(),
    expiresAt: IsoDateTime,
    lastUsedAt: IsoDateTime.nullable(),
  })
  .meta({ id: "ExpiringKey" });
export type ExpiringKey = z.infer<typeof ExpiringKey>;

export const RefusedKey = z
  .object({
    apiKeyId: Uuid,
    name: z.string(),
    refusedAt: IsoDateTime,
    route: z.string().meta({ description: "Method and path pattern of the last refused request." }),
    code: z.string().meta({ description: "The error code of its response." }),
  })
  .meta({ id: "RefusedKey" });
export type RefusedKey = z.infer<typeof RefusedKey>;

const JourneyEnd = z.object({
  journeyId: Uuid,
  journeyPath: z.string(),
  journeyTitle: z.string().nullable(),
  environmentName: z.string(),
  runId: Uuid.meta({ description: "The journey's newest run in the environment that has ended." }),
  endedAt: IsoDateTime,
});

export const FailingJourney = JourneyEnd.extend({ status: z.enum(["failed", "error"]) }).meta({
  id: "FailingJourney",
});
export type FailingJourney = z.infer<typeof FailingJourney>;

export const RecoveredJourney = JourneyEnd.meta({ id: "RecoveredJourney" });
export type RecoveredJourney = z.infer<typeof RecoveredJourney>;

export const TroubledSchedule = z
  .object({
    scheduleId: Uuid,
    name: z.string(),
    journeyId: Uuid,
    environmentName: z.string(),
    state: z.enum(["failing", "paused", "pausedByServer"]).meta({
      description:
        "`failing`: its last runs did not pass or could not be started. `paused`: a key paused it. `pausedByServer`: Waymark paused it after failures.",
    }),
    pausedReason: z.string().nullable().meta({ description: "Null unless `state` is `pausedByServer`." }),
    failuresInRow: z.int(),
    updatedAt: IsoDateTime,
    lastTickAt: IsoDateTime.nullable().meta({
      description: "The last time of the schedule about which was decided. Null before the first one.",
    }),
  })
  .meta({ id: "TroubledSchedule" });
export type TroubledSchedule = z.infer<typeof TroubledSchedule>;

/** For how many days the overview has totals, with today. */
export const HISTORY_DAYS = 90;

export const DailyTotals = z
  .object({
    day: z.iso.date(),
    serviceCount: z.int(),
    endpointCount: z.int(),
    findingsBySeverity: FindingCounts,
  })
  .meta({ id: "DailyTotals" });
export type DailyTotals = z.infer<typeof DailyTotals>;

/** The breaks of a day: those that its promoted runs brought, and the runs of which nothing is known. */
export const DailyBreaks = z
  .object({
    day: z.iso.date(),
    breakingChanges: z.int().meta({
      description: "Changes that break clients and are not approved, as far as runs were compared.",
    }),
    comparedRuns: z.int().meta({
      description: "Runs whose whole description was compared with that of the run before.",
    }),
    notComparedRuns: z.int().meta({
      description:
        "Runs that were not compared, not yet, or only in part: what they break is not known. A service's first run has nothing to be " +
        "compared with, and is not counted.",
    }),
  })
  .meta({ id: "DailyBreaks" });
export type DailyBreaks = z.infer<typeof DailyBreaks>;

/** The numbers of services that the overview begins with. */
const ServiceNumbers = z.object({
  breakingServiceCount: z.int().nullable().meta({
    description:
      "Those with a concern of the kind `breaking`. Null, not known, if no run of the last days was compared.",
  }),
  gateFailureCount: z.int().nullable().meta({
    description:
      "Those with a concern of the kind `gates`. Null, not known, if no gates are known of any service's last scan.",
  }),
});
export type ServiceNumbers = z.infer<typeof ServiceNumbers>;

export const OverviewDay = ServiceNumbers.extend({
  day: z.iso.date(),
  mustCriteria: CoverageShare.nullable().meta({
    description:
      "Acceptance criteria of the severity `must` that are proven, as `GET /api/journey-coverage` counts them.",
  }),
  endpoints: CoverageShare.nullable().meta({
    description:
      "Endpoints that journeys called, of all endpoints, as `GET /api/journey-coverage` counts them.",
  }),
}).meta({ id: "OverviewDay", description: "What a worker counted last on a day (UTC)." });
export type OverviewDay = z.infer<typeof OverviewDay>;

export const Overview = ServiceNumbers.extend({
  judgedServiceCount: z.int().meta({ description: "Services of whose last scan the gates are known." }),
  recentRuns: z.object({ compared: z.int(), notCompared: z.int() }).meta({
    description:
      `The promoted runs of the last ${RECENT_DAYS} days, as \`dailyBreaks\` counts them, also for a part of the services. What those break ` +
      "that were not compared is not known.",
  }),
  recordedDays: z
    .array(OverviewDay)
    .nullable()
    .meta({
      description:
        `The last ${HISTORY_DAYS} days before today (UTC) as far as a worker recorded them, oldest first. A day on which no worker ran is missing. ` +
        "`mustCriteria` and `endpoints` are null without journeys:read and endpoints:read for everything. Null for a key whose scope is limited to " +
        "services, and with `label` or `owner`: the days are those of all services.",
    }),
  serviceCount: z.int(),
  endpointCount: z.int().meta({ description: "Of all current runs." }),
  findingCount: z.int().meta({ description: "Of all current runs." }),
  findingsBySeverity: FindingCounts,
  decidedBySeverity: FindingCounts.meta({
    description: "Those of `findingsBySeverity` that a decision covers today.",
  }),
  overdueFindingCount: z.int().meta({ description: "Open findings whose deadline has passed." }),
  overdueServices: z.array(OverdueService).meta({
    description: "Those with overdue findings, the most first; at most `rows`.",
  }),
  overdueServiceCount: z.int(),
  days: z
    .array(DailyTotals)
    .nullable()
    .meta({
      description:
        `The totals at the end of each of the last ${HISTORY_DAYS} days (UTC) on which they changed, oldest first, and of the last ` +
        "one before. A scan belongs to the day on which it was made, also if it was sent later. Null for a key whose scope is limited to services.",
    }),
  dailyBreaks: z
    .array(DailyBreaks)
    .nullable()
    .meta({
      description:
        `The breaks of each of the last ${HISTORY_DAYS} days (UTC) with runs, oldest first. A worker adds new ones within a minute. Null for a ` +
        "key whose scope is limited to services.",
    }),
  concerns: z.array(ServiceConcern).meta({
    description: "The worst kind first, then the newest; at most `rows` of each kind.",
  }),
  concernCounts: z.record(ConcernKind, z.int()).meta({ description: "Also of those that are not listed." }),
  pendingServiceCount: z.int().meta({
    description:
      "Services whose last scans are not in `days` yet, and may be missing in `concerns`: a worker adds them within a minute.",
  }),
  newServices: z.array(NewService).meta({
    description: `Those of the last ${RECENT_DAYS} days, newest first; at most \`rows\`.`,
  }),
  newServiceCount: z.int(),
  expiringKeys: z
    .array(ExpiringKey)
    .nullable()
    .meta({
      description: `Usable keys that expire within ${EXPIRING_DAYS} days, the first at most \`rows\`. Null without api-keys:read.`,
    }),
  expiringKeyCount: z.int(),
  refusedKeys: z
    .array(RefusedKey)
    .nullable()
    .meta({
      description:
        `Keys of which a request was refused in the last ${RECENT_DAYS} days, the last one first; at most \`rows\`. ` +
        "Requests of console sessions don't count. Null without api-keys:read and audit:read.",
    }),
  refusedKeyCount: z.int(),
  failingJourneys: z
    .array(FailingJourney)
    .nullable()
    .meta({
      description:
        "Journeys whose newest ended run in an environment did not pass, once for each environment, the last one first; at most `rows`. " +
        "Aborted runs don't count, and only the last 20 runs of a journey do. Null without journeys:read.",
    }),
  failingJourneyCount: z.int(),
  recoveredJourneys: z
    .array(RecoveredJourney)
    .nullable()
    .meta({
      description:
        `Journeys whose newest ended run in an environment passed in the last ${RECENT_DAYS} days while the one before did not, the last one first; at most \`rows\`. ` +
        "Null without journeys:read.",
    }),
  recoveredJourneyCount: z.int(),
  troubledSchedules: z.array(TroubledSchedule).nullable().meta({
    description:
      "Schedules that fail or are paused, those that fail first, then the last one that changed; at most `rows`. Null without journeys:read.",
  }),
  troubledScheduleCount: z.int(),
  snoozes: z.array(Snooze).meta({
    description:
      "What the user of the calling key has snoozed, of all lists. These items are in no list and no count; with `snoozed=true`, no others are.",
  }),
}).meta({ id: "Overview" });
export type Overview = z.infer<typeof Overview>;
