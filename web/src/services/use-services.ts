import { listServiceChanges, listServices } from "@waymark/shared/services/addresses.ts";
import { Service, ServiceChangePage } from "@waymark/shared/services/schema.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { callApi, NO_CURSOR } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";

const TREND_RUNS = 20;
/** The interval of requests for the first service of an empty organization. */
export const FIRST_SERVICE_MS = 2000;
/** The number of these requests, for ten minutes: a forgotten page must not prolong its session for ever. */
export const FIRST_SERVICE_QUERIES_MAX = 300;

/** Every service, with the counts of its last runs. */
export function useServices() {
  return useQuery({
    queryKey: ["services"],
    queryFn: ({ signal }) =>
      loadAll(
        {
          address: listServices,
          parts: { query: { trend: TREND_RUNS } },
          field: "services",
          item: Service,
        },
        signal,
      ),
    refetchInterval: ({ state }) =>
      state.data?.length === 0 && state.dataUpdateCount < FIRST_SERVICE_QUERIES_MAX
        ? FIRST_SERVICE_MS
        : false,
  });
}

/** The changes of the service, newest first; `fetchNextPage` adds older ones. */
export function useServiceChanges({ id, currentScanRunId }: Service) {
  return useInfiniteQuery({
    queryKey: ["service", id, "changes", currentScanRunId],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi(
        listServiceChanges,
        { params: { serviceId: id }, query: { cursor } },
        { signal, read: ServiceChangePage },
      ),
    initialPageParam: NO_CURSOR,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ changes }) => changes),
  });
}
