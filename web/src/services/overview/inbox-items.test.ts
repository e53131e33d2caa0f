import type { Overview, ServiceConcern } from "@waymark/shared/services/overview/schema.ts";
import { describe, expect, it } from "vitest";
import { inboxSections } from "./inbox-items.ts";

const NO_FINDINGS = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const NOTHING: Overview = {
  serviceCount: 1,
  endpointCount: 1,
  findingCount: 0,
  findingsBySeverity: NO_FINDINGS,
  decidedBySeverity: NO_FINDINGS,
  overdueFindingCount: 0,
  overdueServices: [],
  overdueServiceCount: 0,
  breakingServiceCount: 0,
  gateFailureCount: 0,
  judgedServiceCount: 0,
  recentRuns: { compared: 0, notCompared: 0 },
  recordedDays: [],
  days: [],
  dailyBreaks: [],
  concerns: [],
  concernCounts: { breaking: 0, removed: 0, gates: 0, held: 0, failed: 0, severe: 0, accepted: 0 },
  pendingServiceCount: 0,
  newServices: [],
  newServiceCount: 0,
  expiringKeys: null,
  expiringKeyCount: 0,
  refusedKeys: null,
  refusedKeyCount: 0,
  failingJourneys: null,
  failingJourneyCount: 0,
  recoveredJourneys: null,
  recoveredJourneyCount: 0,
  troubledSchedules: null,
  troubledScheduleCount: 0,
  snoozes: [],
};
const at = "2026-05-01T00:00:00.000Z";
const concern = (kind: ServiceConcern["kind"], more: Partial<ServiceConcern> = {}): ServiceConcern => ({
  kind,
  serviceId: "s",
  serviceName: "orders",
  ownerTeam: null,
  since: at,
  scanRunId: "r",
  source: null,
  failedGates: [],
  error: null,
  breakingChanges: 0,
  approvedChanges: 0,
  removedEndpoints: 0,
  newCritical: 0,
  newHigh: 0,
  ...more,
});

/** The only item of an overview with one concern. */
function itemOf(one: ServiceConcern) {
  const concernCounts = { ...NOTHING.concernCounts, [one.kind]: 1 };
  const [section] = inboxSections({ ...NOTHING, concerns: [one], concernCounts });
  return section?.items[0];
}

describe("inboxSections", () => {
  it("is empty if nothing needs attention", () => {
    expect(inboxSections(NOTHING)).toEqual([]);
  });

  it.each([
    [concern("breaking", { breakingChanges: 1 }), "1 change breaks clients"],
    [concern("breaking", { breakingChanges: 3, approvedChanges: 2 }), "3 changes break clients; 2 approved"],
    [concern("removed", { removedEndpoints: 1 }), "1 endpoint removed; descriptions not compared"],
    [concern("held"), "The last scan was not promoted"],
    [
      concern("gates", { failedGates: ["--fail-on high", "--fail-on-removed"] }),
      "Failed --fail-on high and --fail-on-removed",
    ],
    [concern("failed", { error: { code: "internal_error", message: "It broke." } }), "It broke."],
    [concern("severe", { newCritical: 1 }), "1 critical finding is new"],
    [concern("severe", { newCritical: 1, newHigh: 2 }), "1 critical and 2 high findings are new"],
    [concern("accepted", { breakingChanges: 1, approvedChanges: 1 }), "1 change breaks clients; approved"],
  ])("says in one sentence what has happened: %j", (one, text) => {
    expect(itemOf(one)?.text).toBe(text);
  });

  it("leads to the run, which opens on what it changed", () => {
    expect(itemOf(concern("breaking", { breakingChanges: 1 }))?.href).toBe("/scan-runs/r");
    expect(itemOf(concern("held"))?.href).toBe("/scan-runs/r");
  });

  it("has what breaks clients first, then journeys, then findings, keys and what is new, and what is accepted last", () => {
    const environmentName = "staging";
    const ended = { journeyId: "j", journeyPath: "a.yaml", journeyTitle: null, environmentName, endedAt: at };
    const sections = inboxSections({
      ...NOTHING,
      concerns: [
        concern("breaking", { breakingChanges: 1 }),
        concern("severe", { newHigh: 1 }),
        concern("accepted"),
      ],
      concernCounts: { ...NOTHING.concernCounts, breaking: 1, severe: 1, accepted: 34 },
      failingJourneys: [
        { ...ended, runId: "f", status: "failed" },
        { ...ended, runId: "e", status: "error", journeyTitle: "Orders" },
      ],
      failingJourneyCount: 2,
      recoveredJourneys: [{ ...ended, runId: "p" }],
      recoveredJourneyCount: 1,
      overdueFindingCount: 2,
      overdueServices: [
        {
          serviceId: "s",
          serviceName: "orders",
          ownerTeam: null,
          overdueFindingCount: 2,
          oldestDueOn: "2026-05-01",
          state: "o",
        },
      ],
      overdueServiceCount: 1,
      troubledSchedules: [
        {
          scheduleId: "n",
          name: "nightly",
          journeyId: "j",
          environmentName,
          state: "failing",
          pausedReason: null,
          failuresInRow: 4,
          updatedAt: at,
          lastTickAt: null,
        },
      ],
      troubledScheduleCount: 1,
      expiringKeys: [{ apiKeyId: "k", name: "ci", prefix: "wmk", expiresAt: at, lastUsedAt: null }],
      expiringKeyCount: 1,
      newServices: [
        {
          serviceId: "s",
          serviceName: "orders",
          ownerTeam: null,
          createdAt: at,
          endpointCount: 1,
          findingCount: 0,
        },
      ],
      newServiceCount: 1,
    });
    expect(sections.map(({ section, count }) => [section, count])).toEqual([
      ["breaking", 1],
      ["failingJourneys", 2],
      ["troubledSchedules", 1],
      ["recoveredJourneys", 1],
      ["overdueServices", 1],
      ["severe", 1],
      ["expiringKeys", 1],
      ["newServices", 1],
      ["accepted", 34],
    ]);
    expect(sections.flatMap(({ items }) => items.map(({ text }) => text))).toEqual([
      "1 change breaks clients",
      "a.yaml fails in staging",
      "Orders could not be run in staging",
      "Schedule nightly failed 4 times in a row, in staging",
      "a.yaml passes again in staging",
      "2 findings overdue",
      "1 high finding is new",
      "Key ci expires soon; it was never used",
      "New service with 1 endpoint and 0 findings",
      "0 changes break clients; approved",
    ]);
  });
});
