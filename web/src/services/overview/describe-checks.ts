import { type Overview, RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { listWords } from "../../lib/list-words.ts";
import { LOCALE } from "../../lib/locale.ts";
import { describeNotCompared } from "./days-of-breaks.ts";
import { describeUnreadable, isUnreadable, type Lists } from "./unreadable-lists.ts";

/** Says what was looked at for an empty inbox, and in a sentence each what is not known. */
export function describeChecks(
  overview: Lists & Pick<Overview, "serviceCount" | "pendingServiceCount" | "recentRuns">,
  { isFiltered }: { isFiltered: boolean },
): { checked: string; unknown: string[] } {
  const { serviceCount, pendingServiceCount, recentRuns } = overview;
  const parts = [
    `the last scans and the findings of ${countOf(serviceCount, "services")}`,
    ...(recentRuns.compared > 0
      ? [`${countOf(recentRuns.compared, "comparisons")} of the last ${RECENT_DAYS} days`]
      : []),
    // Filtered, neither journeys nor keys are in the inbox.
    ...(isFiltered || isUnreadable(overview, "failingJourneys") ? [] : ["journeys", "schedules"]),
    ...(isFiltered || isUnreadable(overview, "expiringKeys") ? [] : ["keys"]),
  ];
  const notCompared = describeNotCompared(recentRuns);
  const unreadable = describeUnreadable(overview);
  const pending =
    pendingServiceCount === 1 ? "1 service is" : `${pendingServiceCount.toLocaleString(LOCALE)} services are`;
  return {
    checked: listWords(parts),
    unknown: [
      ...(pendingServiceCount === 0 ? [] : [`${pending} still being evaluated.`]),
      ...(notCompared === "" ? [] : [`In the last ${RECENT_DAYS} days, ${notCompared}`]),
      ...(unreadable === ""
        ? []
        : [`You may not read ${unreadable}: it is not known whether they need attention.`]),
    ],
  };
}
