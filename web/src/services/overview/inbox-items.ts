import type { TeamSummary } from "@waymark/shared/principals/team-names/schema.ts";
import type { ScanSource } from "@waymark/shared/scans/source/schema.ts";
import type {
  FailingJourney,
  Overview,
  RecoveredJourney,
  ServiceConcern,
  TroubledSchedule,
} from "@waymark/shared/services/overview/schema.ts";
import {
  eventOfConcern,
  eventOfExpiring,
  eventOfFailing,
  eventOfNewService,
  eventOfOverdue,
  eventOfRecovered,
  eventOfRefused,
  eventOfSchedule,
} from "@waymark/shared/services/snoozes/item-event.ts";
import type { ItemEvent } from "@waymark/shared/services/snoozes/schema.ts";
import { capitalize } from "../../lib/capitalize.ts";
import { countOf } from "../../lib/count-of.ts";
import { describeFailed } from "../../lib/describe-gates.ts";
import { HELD_COLOR } from "../../lib/is-held.ts";
import { LOCALE } from "../../lib/locale.ts";
import { SEVERITY_COLORS } from "../../lib/severities.ts";
import { isOverviewSection, OVERVIEW_SECTIONS, type OverviewSection } from "./overview-sections.ts";

/** One thing that somebody may have to do something about. */
export interface InboxItem {
  /** Unique in the inbox. */
  id: string;
  badge: { text: string; color: string };
  /** Says in one sentence what has happened. */
  text: string;
  /** The page that shows it. */
  href: string;
  service: { id: string; name: string; ownerTeam: TeamSummary | null } | null;
  source: ScanSource | null;
  /** When it has happened or, for an end that is still to come, when it will. */
  at: string;
  /** The event that a person snoozes; null for an item that nobody can snooze. */
  event: ItemEvent | null;
}

/** The items of one kind. */
export interface InboxSection {
  section: OverviewSection | "pullRequests";
  items: readonly InboxItem[];
  /** Also of those that are not listed. */
  count: number;
}

/** Returns the sections that have items, the most urgent first. */
export function inboxSections(overview: Overview): (InboxSection & { section: OverviewSection })[] {
  return Object.keys(OVERVIEW_SECTIONS)
    .filter(isOverviewSection)
    .map((section) => ({ section, ...SECTIONS[section](overview) }))
    .filter(({ count }) => count > 0);
}

type Section = (overview: Overview) => Omit<InboxSection, "section">;

function concerns(kind: ServiceConcern["kind"], itemOf: (concern: ServiceConcern) => Told): Section {
  return (overview) => {
    const own = overview.concerns.filter((concern) => concern.kind === kind);
    return {
      items: own.map((concern) => ({
        id: `${kind} ${concern.serviceId}`,
        service: { id: concern.serviceId, name: concern.serviceName, ownerTeam: concern.ownerTeam },
        source: concern.source,
        at: concern.since,
        href: `/scan-runs/${concern.scanRunId}`,
        event: eventOfConcern(concern),
        ...itemOf(concern),
      })),
      count: overview.concernCounts[kind],
    };
  };
}

type Told = Pick<InboxItem, "badge" | "text">;

const BREAKS = { text: "breaks clients", color: SEVERITY_COLORS.critical };
/** The colour of what needs nobody. */
export const CALM = "teal.9";

const SECTIONS: Record<OverviewSection, Section> = {
  breaking: concerns("breaking", ({ breakingChanges, approvedChanges }) => ({
    badge: BREAKS,
    text: `${breakClients(breakingChanges)}${approvedChanges > 0 ? `; ${approvedChanges.toLocaleString(LOCALE)} approved` : ""}`,
  })),
  removed: concerns("removed", ({ removedEndpoints }) => ({
    badge: { text: "removed", color: SEVERITY_COLORS.critical },
    text: `${countOf(removedEndpoints, "endpoints")} removed; descriptions not compared`,
  })),
  gates: concerns("gates", ({ failedGates }) => ({
    badge: { text: "gate failed", color: HELD_COLOR },
    text: capitalize(describeFailed(failedGates) ?? "a gate failed"),
  })),
  held: concerns("held", () => ({
    badge: { text: "not promoted", color: HELD_COLOR },
    text: "The last scan was not promoted",
  })),
  failed: concerns("failed", ({ error }) => ({
    badge: { text: "scan failed", color: HELD_COLOR },
    text: error?.message ?? "The last scan failed",
  })),
  severe: concerns("severe", ({ newCritical, newHigh }) => ({
    badge:
      newCritical > 0
        ? { text: "critical", color: SEVERITY_COLORS.critical }
        : { text: "high", color: SEVERITY_COLORS.high },
    text: newSevere({ newCritical, newHigh }),
  })),
  accepted: concerns("accepted", ({ breakingChanges }) => ({
    badge: { text: "accepted", color: CALM },
    text: `${breakClients(breakingChanges)}; approved`,
  })),
  failingJourneys: ({ failingJourneys, failingJourneyCount }) => ({
    items: (failingJourneys ?? []).map((journey) => ({
      ...itemOfJourney("failingJourneys", journey),
      event: eventOfFailing(journey),
      badge: { text: "journey", color: SEVERITY_COLORS.critical },
      text: `${nameOf(journey)} ${FAILED[journey.status]} in ${journey.environmentName}`,
    })),
    count: failingJourneyCount,
  }),
  recoveredJourneys: ({ recoveredJourneys, recoveredJourneyCount }) => ({
    items: (recoveredJourneys ?? []).map((journey) => ({
      ...itemOfJourney("recoveredJourneys", journey),
      event: eventOfRecovered(journey),
      badge: { text: "recovered", color: CALM },
      text: `${nameOf(journey)} passes again in ${journey.environmentName}`,
    })),
    count: recoveredJourneyCount,
  }),
  overdueServices: ({ overdueServices, overdueServiceCount }) => ({
    items: overdueServices.map((service) => ({
      id: `overdueServices ${service.serviceId}`,
      service: { id: service.serviceId, name: service.serviceName, ownerTeam: service.ownerTeam },
      source: null,
      at: `${service.oldestDueOn}T00:00:00.000Z`,
      badge: { text: "overdue", color: SEVERITY_COLORS.high },
      text: `${countOf(service.overdueFindingCount, "findings")} overdue`,
      href: `/findings?due=overdue&serviceId=${service.serviceId}`,
      event: eventOfOverdue(service),
    })),
    count: overdueServiceCount,
  }),
  troubledSchedules: ({ troubledSchedules, troubledScheduleCount }) => ({
    items: (troubledSchedules ?? []).map((schedule) => ({
      id: `troubledSchedules ${schedule.scheduleId}`,
      ...NOBODY,
      at: schedule.updatedAt,
      badge: { text: "schedule", color: schedule.state === "failing" ? HELD_COLOR : SEVERITY_COLORS.info },
      text: `Schedule ${schedule.name} ${STATES[schedule.state](schedule)}, in ${schedule.environmentName}`,
      href: `/journeys/${schedule.journeyId}?tab=schedules`,
      event: eventOfSchedule(schedule),
    })),
    count: troubledScheduleCount,
  }),
  expiringKeys: ({ expiringKeys, expiringKeyCount }) => ({
    items: (expiringKeys ?? []).map((key) => ({
      id: `expiringKeys ${key.apiKeyId}`,
      ...NOBODY,
      at: key.expiresAt,
      badge: { text: "key", color: SEVERITY_COLORS.medium },
      text: `Key ${key.name} expires soon${key.lastUsedAt === null ? "; it was never used" : ""}`,
      href: `/api-keys?key=${key.apiKeyId}`,
      event: eventOfExpiring(key, Date.now()),
    })),
    count: expiringKeyCount,
  }),
  refusedKeys: ({ refusedKeys, refusedKeyCount }) => ({
    items: (refusedKeys ?? []).map((key) => ({
      id: `refusedKeys ${key.apiKeyId}`,
      ...NOBODY,
      at: key.refusedAt,
      badge: { text: "key", color: SEVERITY_COLORS.info },
      text: `Key ${key.name} was refused: ${key.route}, ${key.code}`,
      href: `/audit-log?by=${key.apiKeyId}`,
      event: eventOfRefused(key),
    })),
    count: refusedKeyCount,
  }),
  newServices: ({ newServices, newServiceCount }) => ({
    items: newServices.map(
      ({ serviceId, serviceName, ownerTeam, createdAt, endpointCount, findingCount }) => ({
        id: `newServices ${serviceId}`,
        service: { id: serviceId, name: serviceName, ownerTeam },
        source: null,
        at: createdAt,
        badge: { text: "new", color: SEVERITY_COLORS.low },
        text:
          endpointCount === null || findingCount === null
            ? "New service; no scan has succeeded yet"
            : `New service with ${countOf(endpointCount, "endpoints")} and ${countOf(findingCount, "findings")}`,
        href: `/services/${serviceId}`,
        event: eventOfNewService({ serviceId }),
      }),
    ),
    count: newServiceCount,
  }),
};

const NOBODY = { service: null, source: null };
const FAILED = { failed: "fails", error: "could not be run" };

const STATES = {
  failing: ({ failuresInRow }: TroubledSchedule) => `failed ${countOf(failuresInRow, "times")} in a row`,
  paused: () => "is paused",
  pausedByServer: ({ pausedReason }: TroubledSchedule) => `was paused by Waymark: ${pausedReason ?? ""}`,
};

function breakClients(count: number): string {
  return count === 1 ? "1 change breaks clients" : `${count.toLocaleString(LOCALE)} changes break clients`;
}

function newSevere({ newCritical, newHigh }: { newCritical: number; newHigh: number }): string {
  const parts = [
    ...(newCritical > 0 ? [`${newCritical.toLocaleString(LOCALE)} critical`] : []),
    ...(newHigh > 0 ? [`${newHigh.toLocaleString(LOCALE)} high`] : []),
  ];
  return `${parts.join(" and ")} ${newCritical + newHigh === 1 ? "finding is" : "findings are"} new`;
}

function nameOf({ journeyTitle, journeyPath }: RecoveredJourney): string {
  return journeyTitle ?? journeyPath;
}

function itemOfJourney(section: OverviewSection, journey: FailingJourney | RecoveredJourney) {
  const { runId, endedAt } = journey;
  return { id: `${section} ${runId}`, ...NOBODY, at: endedAt, href: `/journey-runs/${runId}` };
}
