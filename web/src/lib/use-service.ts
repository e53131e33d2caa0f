import { useQuery } from "@tanstack/react-query";
import { Service } from "@waymark/shared/services/schema.ts";
import { callApi } from "./api.ts";

export function useService(serviceId: string) {
  return useQuery({
    queryKey: ["service", serviceId],
    queryFn: ({ signal }) => callApi(Service, `/api/services/${encodeURIComponent(serviceId)}`, { signal }),
  });
}
