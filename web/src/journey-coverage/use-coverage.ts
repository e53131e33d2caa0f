import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import { readQuery } from "../lib/read-query.ts";
import { type CoverageFilter, coverageQuery, sharesQuery } from "./api-queries.ts";
import { loadCoverage } from "./load-coverage.ts";

/**
 * The coverage with a filter. Each visit loads it again, because a run may have ended. It stays while another filter
 * loads.
 */
export function useCoverage(filter: CoverageFilter) {
  return useQuery({
    queryKey: coverageQuery(filter).queryKey,
    queryFn: ({ signal }) => loadCoverage(filter, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

/** The shares alone, for when the lists have too many endpoints. */
export function useCoverageShares(filter: CoverageFilter, { isAsked }: { isAsked: boolean }) {
  const { data } = useQuery({ ...readQuery(sharesQuery(filter), JourneyCoverage), enabled: isAsked });
  return isAsked ? data?.shares : undefined;
}
