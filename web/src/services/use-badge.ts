import { ServiceBadge, CreatedServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as addresses from "@waymark/shared/services/badges/addresses.ts";
import { callApi } from "../lib/api.ts";

/** The key of requests about the service's badge. */
export const badgeKey = (serviceId: string) => ["service", serviceId, "badge"];

export function useBadge(serviceId: string) {
  return useQuery({
    queryKey: badgeKey(serviceId),
    queryFn: ({ signal }) =>
      callApi(addresses.getServiceBadge, { params: { serviceId } }, { signal, read: ServiceBadge }),
  });
}

/** Creates the service's badge. An earlier one's address stops working. */
export function useCreateBadge(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: badgeKey(serviceId),
    mutationFn: () =>
      callApi(addresses.createServiceBadge, { params: { serviceId } }, { read: CreatedServiceBadge }),
    onSuccess: () => client.invalidateQueries({ queryKey: badgeKey(serviceId) }),
  });
}

export function useDeleteBadge(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: badgeKey(serviceId),
    mutationFn: () => callApi(addresses.deleteServiceBadge, { params: { serviceId } }),
    onSuccess: () => client.invalidateQueries({ queryKey: badgeKey(serviceId) }),
  });
}
