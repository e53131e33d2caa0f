import { getJourneyCoverage } from "@waymark/shared/journey-coverage/addresses.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { getOverview, listServiceEndpoints, listServices } from "@waymark/shared/services/addresses.ts";
import { apiQuery, FIRST_ROWS, PAGE_LIMIT } from "../lib/api-query.ts";
import { hasPermission } from "../lib/permissions.ts";

/** The number of last runs whose counts the list of services shows. */
const TREND_RUNS = 20;

/**
 * @param rows the length of each list; undefined for the default
 * @param services the labels and the owner of the services that it is of; empty for all services
 */
export const overviewQuery = (
  rows?: number,
  {
    label = "",
    owner = "",
    isOfSnoozed = false,
  }: { label?: string; owner?: string; isOfSnoozed?: boolean } = {},
) =>
  apiQuery(["overview", rows, label, owner, isOfSnoozed], getOverview, {
    query: {
      rows,
      label: label || undefined,
      owner: owner || undefined,
      snoozed: isOfSnoozed ? "true" : undefined,
    },
  });

/** The shares of the coverage of everything, without its lists. */
export const COVERAGE_TOTALS = apiQuery(["journey-coverage", "totals"], getJourneyCoverage, {
  query: { totals: "true" },
});

/** True if the API may answer that. */
export function mayReadCoverage(session: Pick<Session, "scopes">): boolean {
  return ["journeys:read", "services:read", "endpoints:read"].every((one) => hasPermission(session, one));
}

export const SERVICES = apiQuery(["services"], listServices, {
  query: { trend: TREND_RUNS, limit: PAGE_LIMIT },
});

export const ARCHIVED_SERVICES = apiQuery(["services", "archived"], listServices, {
  query: { trend: TREND_RUNS, limit: PAGE_LIMIT, archived: "true" },
});

/** The first endpoints of the service's current run. @param currentScanRunId undefined while it is not known */
export const inventoryQuery = (serviceId: string, currentScanRunId?: string | null) =>
  apiQuery(["service", serviceId, "endpoints", currentScanRunId], listServiceEndpoints, {
    params: { serviceId },
    query: { limit: FIRST_ROWS },
  });
