import type {
  ExpiringKey,
  FailingJourney,
  NewService,
  OverdueService,
  RecoveredJourney,
  RefusedKey,
  ServiceConcern,
  TroubledSchedule,
} from "../overview/schema.ts";
import { SNOOZE_LIMITS } from "./limits.ts";
import type { ItemEvent } from "./schema.ts";

const DAY_MS = 24 * 3600 * 1000;
/** More than the findings of a scan: a critical one outweighs all high ones. */
const CRITICAL = 10_000;

type Concern = Omit<ServiceConcern, "ownerTeam">;

/** Returns what has happened to a service. Null for what is accepted: nobody has to do anything about it. */
export function eventOfConcern(concern: Concern): ItemEvent | null {
  const { kind, serviceId: subjectId, scanRunId } = concern;
  if (kind === "accepted") return null;
  const event = kind === "gates" ? eventOfGates(concern) : scanRunId;
  return { kind, subjectId, event, level: levelOf(concern) };
}

/** The key that judged a scan may judge it again: with a number alone, a gate that passes now could hide another one. */
function eventOfGates({ scanRunId, failedGates }: Concern): string {
  const text = `${scanRunId} ${failedGates.toSorted().join(", ")}`;
  return Array.from(text).slice(0, SNOOZE_LIMITS.eventMax).join("");
}

/** Another scan is another event. This is what can become worse about one. */
function levelOf(concern: Concern): number {
  switch (concern.kind) {
    case "breaking":
      return concern.breakingChanges - concern.approvedChanges;
    case "removed":
      return concern.removedEndpoints;
    case "gates":
      // Also of those whose names the event has no room for.
      return concern.failedGates.length;
    case "severe":
      return concern.newCritical * CRITICAL + concern.newHigh;
    default:
      return 0;
  }
}

/** Any change of what is overdue is an event: with a number alone, a finding that was fixed could hide a new one. */
export function eventOfOverdue({ serviceId, state }: Omit<OverdueService, "ownerTeam">): ItemEvent {
  return { kind: "overdueServices", subjectId: serviceId, event: state, level: 0 };
}

export function eventOfNewService({ serviceId }: Pick<NewService, "serviceId">): ItemEvent {
  return { kind: "newServices", subjectId: serviceId, event: "", level: 0 };
}

/** Each run of a journey is an item of its own. */
export function eventOfFailing({ runId, status }: FailingJourney): ItemEvent {
  return { kind: "failingJourneys", subjectId: runId, event: status, level: 0 };
}

export function eventOfRecovered({ runId }: RecoveredJourney): ItemEvent {
  return { kind: "recoveredJourneys", subjectId: runId, event: "", level: 0 };
}

/** Each tick is an event: a schedule that has passed and fails again counts its failures from 1. */
export function eventOfSchedule({ scheduleId, state, lastTickAt }: TroubledSchedule): ItemEvent {
  return {
    kind: "troubledSchedules",
    subjectId: scheduleId,
    event: `${state} ${lastTickAt ?? ""}`,
    level: 0,
  };
}

/** The last day of a key is worse than the days before. */
export function eventOfExpiring({ apiKeyId, expiresAt }: ExpiringKey, now: number): ItemEvent {
  const level = Date.parse(expiresAt) - now < DAY_MS ? 1 : 0;
  return { kind: "expiringKeys", subjectId: apiKeyId, event: expiresAt, level };
}

/** Another route or another reason is another event; the same request again is not. */
export function eventOfRefused({ apiKeyId, route, code }: RefusedKey): ItemEvent {
  return { kind: "refusedKeys", subjectId: apiKeyId, event: `${code} ${route}`, level: 0 };
}

/** True if an item is as it was when it was snoozed, or less bad. */
export function isAsSnoozed(item: ItemEvent, snoozed: Pick<ItemEvent, "event" | "level">): boolean {
  return item.event === snoozed.event && item.level <= snoozed.level;
}
