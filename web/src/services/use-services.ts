import { Service } from "@waymark/shared/services/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";

export function useServices() {
  return useQuery({
    queryKey: ["services"],
    queryFn: ({ signal }) => loadAll(Service, "/api/services", "services", signal),
  });
}

export function useService(serviceId: string) {
  return useQuery({
    queryKey: ["service", serviceId],
    queryFn: ({ signal }) => callApi(Service, `/api/services/${encodeURIComponent(serviceId)}`, { signal }),
  });
}
