import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type CoverageFilter, loadCoverage } from "./load-coverage.ts";

/** What counts with this filter, read anew on each visit: a run may have ended. While another filter loads, what was shown stays. */
export function useCoverage(filter: CoverageFilter) {
  return useQuery({
    queryKey: ["journey-coverage", filter],
    queryFn: ({ signal }) => loadCoverage(filter, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
