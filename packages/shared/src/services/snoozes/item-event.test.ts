import { expect, it } from "vitest";
import type { ServiceConcern } from "../overview/schema.ts";
import {
  eventOfConcern,
  eventOfExpiring,
  eventOfFailing,
  eventOfOverdue,
  eventOfRefused,
  eventOfSchedule,
  isAsSnoozed,
} from "./item-event.ts";
import { ItemEvent } from "./schema.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const AT = "2026-11-20T10:00:00.000Z";
const CONCERN = {
  kind: "breaking",
  serviceId: ID,
  serviceName: "s",
  ownerTeam: null,
  since: AT,
  scanRunId: ID,
  source: null,
  failedGates: ["--fail-on high"],
  error: null,
  breakingChanges: 3,
  approvedChanges: 1,
  removedEndpoints: 2,
  newCritical: 0,
  newHigh: 7,
} as const satisfies ServiceConcern;

function staysSnoozed(before: Partial<ServiceConcern>, after: Partial<ServiceConcern>): boolean {
  const [snoozed, item] = [before, after].map((change) =>
    eventOfConcern({ ...CONCERN, ...before, ...change }),
  );
  if (snoozed === null || item === null || snoozed === undefined || item === undefined)
    throw new Error("no item");
  return isAsSnoozed(item, snoozed);
}

it("a concern stays snoozed while its scan is the last one and it is not worse", () => {
  for (const kind of ["breaking", "removed", "gates", "held", "failed", "severe"] as const) {
    expect(staysSnoozed({ kind }, {})).toBe(true);
    expect(staysSnoozed({ kind }, { scanRunId: ID.replaceAll("1", "2") })).toBe(false);
  }
  expect(staysSnoozed({}, { approvedChanges: 2 })).toBe(true);
  expect(staysSnoozed({}, { approvedChanges: 0 })).toBe(false);
  expect(staysSnoozed({}, { breakingChanges: 4 })).toBe(false);
  expect(staysSnoozed({ kind: "removed" }, { removedEndpoints: 3 })).toBe(false);
  expect(staysSnoozed({ kind: "gates" }, { failedGates: ["--fail-on high", "--fail-on-removed"] })).toBe(
    false,
  );
});

it("another gate that fails is another event, also in the place of one that passes now", () => {
  const [high, removed, long] = ["--fail-on high", "--fail-on-removed", "👩‍💻".repeat(100)];
  expect(staysSnoozed({ kind: "gates", failedGates: [high] }, { failedGates: [removed] })).toBe(false);
  expect(
    staysSnoozed({ kind: "gates", failedGates: [high, removed] }, { failedGates: [removed, high] }),
  ).toBe(true);
  const item = eventOfConcern({ ...CONCERN, kind: "gates", failedGates: [long, high] });
  expect(ItemEvent.parse(item)).toEqual(item);
});

it("one critical finding is worse than all high ones that a scan can have", () => {
  expect(staysSnoozed({ kind: "severe", newHigh: 2_000 }, { newCritical: 1, newHigh: 0 })).toBe(false);
  expect(staysSnoozed({ kind: "severe" }, { newHigh: 8 })).toBe(false);
  expect(staysSnoozed({ kind: "severe" }, { newHigh: 6 })).toBe(true);
});

it("what is accepted can't be snoozed", () => {
  expect(eventOfConcern({ ...CONCERN, kind: "accepted" })).toBeNull();
});

it("a key returns on its last day", () => {
  const key = { apiKeyId: ID, name: "k", prefix: "p", expiresAt: AT, lastUsedAt: null };
  const hoursBefore = (hours: number) => Date.parse(AT) - hours * 3600 * 1000;
  const snoozed = eventOfExpiring(key, hoursBefore(80));
  expect(isAsSnoozed(eventOfExpiring(key, hoursBefore(25)), snoozed)).toBe(true);
  expect(isAsSnoozed(eventOfExpiring(key, hoursBefore(23)), snoozed)).toBe(false);
  // A key that is snoozed on its last day stays so.
  expect(isAsSnoozed(eventOfExpiring(key, hoursBefore(1)), eventOfExpiring(key, hoursBefore(2)))).toBe(true);
});

it("another run, another tick, other overdue findings and another refusal are other events", () => {
  const journey = { journeyId: ID, journeyPath: "p", journeyTitle: null, environmentName: "e", endedAt: AT };
  const failing = (runId: string) => eventOfFailing({ ...journey, runId, status: "failed" });
  expect(failing("a").subjectId).not.toBe(failing("b").subjectId);
  const schedule = {
    scheduleId: ID,
    name: "n",
    journeyId: ID,
    environmentName: "e",
    state: "failing",
    pausedReason: null,
    failuresInRow: 5,
    updatedAt: AT,
    lastTickAt: AT,
  } as const;
  const later = { ...schedule, failuresInRow: 1, lastTickAt: "2026-11-21T10:00:00.000Z" };
  expect(isAsSnoozed(eventOfSchedule(later), eventOfSchedule(schedule))).toBe(false);
  const overdue = { serviceId: ID, serviceName: "s", overdueFindingCount: 1, oldestDueOn: "2026-11-20" };
  const overdueAs = (state: string) => eventOfOverdue({ ...overdue, state });
  expect(isAsSnoozed(overdueAs("b"), overdueAs("a"))).toBe(false);
  const refused = { apiKeyId: ID, name: "k", refusedAt: AT, route: "GET /api/x", code: "permission_denied" };
  const again = { ...refused, refusedAt: "2026-11-21T10:00:00.000Z" };
  expect(isAsSnoozed(eventOfRefused(again), eventOfRefused(refused))).toBe(true);
  expect(isAsSnoozed(eventOfRefused({ ...again, route: "GET /api/y" }), eventOfRefused(refused))).toBe(false);
});
