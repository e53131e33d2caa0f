import { Service } from "@waymark/shared/services/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { getService } from "@waymark/shared/services/addresses.ts";
import { callApi } from "./api.ts";

export function useService(serviceId: string) {
  return useQuery({
    queryKey: ["service", serviceId],
    queryFn: ({ signal }) => callApi(getService, { params: { serviceId } }, { signal, read: Service }),
  });
}
