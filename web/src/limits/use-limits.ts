import { Limits } from "@waymark/shared/limits/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import { listApiKeys } from "@waymark/shared/api-keys/addresses.ts";
import { listEnvironments } from "@waymark/shared/environments/addresses.ts";
import { listJourneySchedules } from "@waymark/shared/journey-schedules/addresses.ts";
import { getLimits } from "@waymark/shared/limits/addresses.ts";
import type { AnyParts } from "@waymark/shared/operations/request.ts";
import type { Address } from "@waymark/shared/operations/operation.ts";
import { listServices } from "@waymark/shared/services/addresses.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { z } from "zod";
import { callApi } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";
import { NOBODY } from "../lib/permissions.ts";
import { useSession } from "../lib/use-session.ts";

export function useLimits() {
  return useQuery({
    queryKey: ["limits", "all"],
    queryFn: ({ signal }) => callApi(getLimits, {}, { signal, read: Limits }),
  });
}

const Counted = z.object({ status: z.string().optional() });

/**
 * The number of the organization's items of a kind. Undefined for sessions that may not list them, and until it is
 * known.
 */
function useCount(
  list: { address: Address; query?: AnyParts["query"]; field: string; status?: string } & Listed,
) {
  const { address, query = {}, field, status } = list;
  const { data: session } = useSession();
  // The list of a limited key has less than the organization.
  const mayRead = session !== null && session !== undefined && readsAll(session, list);
  const { data } = useQuery({
    queryKey: ["count", address.path, query],
    queryFn: ({ signal }) => loadAll({ address, parts: { query }, field, item: Counted }, signal),
    enabled: mayRead,
    retry: false,
  });
  return data?.filter((item) => status === undefined || item.status === status).length;
}

interface Listed {
  permission: string;
  /** The resource type of the items, as scopes name it. */
  resourceType: string;
}

/** True if the list of the session has every item of the organization. */
export function readsAll({ scopes }: Pick<Session, "scopes">, { permission, resourceType }: Listed): boolean {
  return scopes.some((scope) => scopeAllows(scope, permission, { resourceType }));
}

export interface Counts {
  services: number | undefined;
  activeKeys: number | undefined;
  environments: number | undefined;
  schedules: number | undefined;
}

export function useCounts(): Counts {
  const { data: session } = useSession();
  return {
    services: useCount({
      address: listServices,
      field: "services",
      permission: "services:read",
      resourceType: "service",
    }),
    activeKeys: useCount({
      address: listApiKeys,
      query: { organizationId: (session ?? NOBODY).organizationId },
      field: "apiKeys",
      permission: "api-keys:read",
      resourceType: "api_key",
      status: "active",
    }),
    environments: useCount({
      address: listEnvironments,
      field: "environments",
      permission: "environments:read",
      resourceType: "environment",
    }),
    schedules: useCount({
      address: listJourneySchedules,
      field: "schedules",
      permission: "journeys:read",
      resourceType: "workflow",
    }),
  };
}
