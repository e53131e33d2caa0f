import { type Overview, RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
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

/** Says why it is not known whether there is anything to list; empty if it is known. */
export function describeUnknown(
  overview: Lists & Pick<Overview, "breakingServiceCount" | "gateFailureCount">,
  section: OverviewSection,
): string {
  if (isUnreadable(overview, section)) return "You may not read them: it is not known whether there are any.";
  if (section === "breaking" && overview.breakingServiceCount === null)
    return `No change of the last ${RECENT_DAYS} days was compared: it is not known whether any breaks clients.`;
  if (section === "gates" && overview.gateFailureCount === null)
    return "No gates are known of any service’s last scan: it is not known whether one would fail.";
  return "";
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
