import { useQuery } from "@tanstack/react-query";
import { getOverview } from "@waymark/shared/services/addresses.ts";
import { OVERVIEW_ROWS_MAX, Overview } from "@waymark/shared/services/overview/schema.ts";
import { callApi } from "../lib/api.ts";
import { FIRST_SERVICE_MS, FIRST_SERVICE_QUERIES_MAX } from "./use-services.ts";

/**
 * The lists of the overview: their first rows, or all that a list can have. For an empty organization they are loaded
 * again until its first service exists.
 */
export function useOverview({ isWhole }: { isWhole: boolean }) {
  return useQuery({
    queryKey: ["overview", isWhole],
    queryFn: ({ signal }) =>
      callApi(
        getOverview,
        { query: { rows: isWhole ? OVERVIEW_ROWS_MAX : undefined } },
        { signal, read: Overview },
      ),
    refetchInterval: ({ state }) =>
      state.data?.serviceCount === 0 && state.dataUpdateCount < FIRST_SERVICE_QUERIES_MAX
        ? FIRST_SERVICE_MS
        : false,
  });
}
