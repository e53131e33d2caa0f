import { Service } from "@waymark/shared/services/schema.ts";
import { ServiceEndpoint } from "@waymark/shared/scans/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../lib/api.ts";
import { ITEM_PAGE_LIMIT, loadAll } from "../lib/load-all.ts";

const TREND_RUNS = 20;
/** How often an empty organization is asked for its first service. */
const FIRST_SERVICE_MS = 2000;
/** Some ten minutes: a forgotten page must not keep a session from ending. */
const FIRST_SERVICE_QUERIES_MAX = 300;

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

export function useService(serviceId: string) {
  return useQuery({
    queryKey: ["service", serviceId],
    queryFn: ({ signal }) => callApi(Service, `/api/services/${encodeURIComponent(serviceId)}`, { signal }),
  });
}

/** The endpoints of the service's current run, each with when it was first and last seen. */
export function useInventory(service: Service) {
  return useQuery({
    queryKey: ["service", service.id, "endpoints", service.currentScanRunId],
    queryFn: ({ signal }) =>
      loadAll(ServiceEndpoint, `/api/services/${service.id}/endpoints`, "endpoints", signal, ITEM_PAGE_LIMIT),
  });
}
