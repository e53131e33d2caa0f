import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CreatedServiceBadge, ServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import { z } from "zod";
import { callApi } from "../lib/api.ts";

const addressOf = (serviceId: string) => `/api/services/${serviceId}/badge`;
/** The key of requests about the service's badge. */
export const badgeKey = (serviceId: string) => ["service", serviceId, "badge"];

export function useBadge(serviceId: string) {
  return useQuery({
    queryKey: badgeKey(serviceId),
    queryFn: ({ signal }) => callApi(ServiceBadge, addressOf(serviceId), { signal }),
  });
}

/** Creates the service's badge. An earlier one's address stops working. */
export function useCreateBadge(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: badgeKey(serviceId),
    mutationFn: () => callApi(CreatedServiceBadge, addressOf(serviceId), { method: "POST", body: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey: badgeKey(serviceId) }),
  });
}

export function useDeleteBadge(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: badgeKey(serviceId),
    mutationFn: () => callApi(z.unknown(), addressOf(serviceId), { method: "DELETE" }),
    onSuccess: () => client.invalidateQueries({ queryKey: badgeKey(serviceId) }),
  });
}
