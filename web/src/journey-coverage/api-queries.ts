import { getJourneyCoverage } from "@waymark/shared/journey-coverage/addresses.ts";
import { apiQuery, ITEM_PAGE_LIMIT } from "../lib/api-query.ts";
import { withoutEmpty } from "../lib/without-empty.ts";

/** The conditions of the runs that the API counts. An empty text sets none. */
export interface CoverageFilter {
  serviceId: string;
  environmentId: string;
  origin: string;
  /** A number of days. */
  window: string;
}

export const DEFAULT_WINDOW = "30";

/** The shares only, which are of any number of endpoints. */
export const sharesQuery = (filter: CoverageFilter) =>
  apiQuery(["journey-coverage", "shares", filter], getJourneyCoverage, {
    query: { ...withoutEmpty(filter), totals: "true" },
  });

/** The first part of both lists. */
export const coverageQuery = (filter: CoverageFilter) =>
  apiQuery(["journey-coverage", filter], getJourneyCoverage, {
    query: { ...withoutEmpty(filter), limit: ITEM_PAGE_LIMIT },
  });
