import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type CoverageFilter, coverageQuery } from "./api-queries.ts";
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
