import { useQuery } from "@tanstack/react-query";
import { Overview } from "@waymark/shared/services/overview/schema.ts";
import { callApi } from "../lib/api.ts";
import { FIRST_SERVICE_MS, FIRST_SERVICE_QUERIES_MAX } from "./use-services.ts";

/** What needs attention. An empty organization is asked again until its first service is there. */
export function useOverview() {
  return useQuery({
    queryKey: ["overview"],
    queryFn: ({ signal }) => callApi(Overview, "/api/overview", { signal }),
    refetchInterval: ({ state }) =>
      state.data?.serviceCount === 0 && state.dataUpdateCount < FIRST_SERVICE_QUERIES_MAX
        ? FIRST_SERVICE_MS
        : false,
  });
}
