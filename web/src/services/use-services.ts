import { listServiceChanges } from "@waymark/shared/services/addresses.ts";
import { Service, ServiceChangePage } from "@waymark/shared/services/schema.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { callApi, NO_CURSOR } from "../lib/api.ts";
import { readList } from "../lib/read-query.ts";
import { ARCHIVED_SERVICES, SERVICES } from "./api-queries.ts";

/** The interval of requests for the first service of an empty organization. */
export const FIRST_SERVICE_MS = 2000;
/** The number of these requests, for ten minutes: a forgotten page must not prolong its session for ever. */
export const FIRST_SERVICE_QUERIES_MAX = 300;

/** Every service that is not archived, with the counts of its last runs. */
export function useServices() {
  return useQuery({
    ...readList(SERVICES, { field: "services", item: Service }),
    refetchInterval: ({ state }) =>
      state.data?.length === 0 && state.dataUpdateCount < FIRST_SERVICE_QUERIES_MAX
        ? FIRST_SERVICE_MS
        : false,
  });
}

export function useArchivedServices() {
  return useQuery(readList(ARCHIVED_SERVICES, { field: "services", item: Service }));
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
