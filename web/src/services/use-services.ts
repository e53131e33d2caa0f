import { Service, ServiceChangePage } from "@waymark/shared/services/schema.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { callApi } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";

const TREND_RUNS = 20;
/** How often an empty organization is asked for its first service. */
export const FIRST_SERVICE_MS = 2000;
/** Some ten minutes: a forgotten page must not keep a session from ending. */
export const FIRST_SERVICE_QUERIES_MAX = 300;

/** Every service, with the counts of its last runs. */
export function useServices() {
  return useQuery({
    queryKey: ["services"],
    queryFn: ({ signal }) => loadAll(Service, `/api/services?trend=${TREND_RUNS}`, "services", signal),
    refetchInterval: ({ state }) =>
      state.data?.length === 0 && state.dataUpdateCount < FIRST_SERVICE_QUERIES_MAX
        ? FIRST_SERVICE_MS
        : false,
  });
}

/** How the service changed, newest first; `fetchNextPage` adds older changes. */
export function useServiceChanges({ id, currentScanRunId }: Service) {
  return useInfiniteQuery({
    queryKey: ["service", id, "changes", currentScanRunId],
    queryFn: ({ signal, pageParam }) => {
      const query = pageParam === "" ? "" : `?${new URLSearchParams({ cursor: pageParam })}`;
      return callApi(ServiceChangePage, `/api/services/${id}/changes${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ changes }) => changes),
  });
}
