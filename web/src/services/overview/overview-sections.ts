import type { ConcernKind } from "@waymark/shared/services/overview/schema.ts";

/** The lists of the overview, the most urgent first, with what they list. Each has an address of its own. */
export const OVERVIEW_SECTIONS = {
  breaking: "services whose last change breaks clients",
  removed: "services with removed endpoints",
  gates: "services whose last scan failed a gate",
  held: "services whose last scan was not promoted",
  failed: "services whose last scan failed",
  failingJourneys: "failing journeys",
  troubledSchedules: "schedules that fail or are paused",
  recoveredJourneys: "recovered journeys",
  overdueServices: "services with overdue findings",
  severe: "services with new severe findings",
  expiringKeys: "keys that expire soon",
  refusedKeys: "keys that were refused",
  newServices: "new services",
  accepted: "services whose breaking changes are approved",
} as const satisfies Record<ConcernKind, string> & Record<string, string>;
export type OverviewSection = keyof typeof OVERVIEW_SECTIONS;

export function isOverviewSection(name: string): name is OverviewSection {
  return Object.hasOwn(OVERVIEW_SECTIONS, name);
}
