import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { OverviewSection } from "./overview-sections.ts";

/** The lists that a session may not be allowed to read. */
export type Lists = Pick<
  Overview,
  "failingJourneys" | "recoveredJourneys" | "troubledSchedules" | "expiringKeys" | "refusedKeys"
>;

/** True if the session may not read the list, so that its count of 0 says nothing. */
export function isUnreadable(lists: Lists, section: OverviewSection): boolean {
  return Object.entries(lists).some(([name, list]) => name === section && list === null);
}

/** Names what the session may not read, such as "journeys and keys"; empty if it may read everything. */
export function describeUnreadable(lists: Lists): string {
  const ofKeys = isUnreadable(lists, "refusedKeys") ? "refused requests of keys" : "";
  return [
    isUnreadable(lists, "failingJourneys") ? "journeys" : "",
    isUnreadable(lists, "expiringKeys") ? "keys" : ofKeys,
  ]
    .filter(Boolean)
    .join(" and ");
}
