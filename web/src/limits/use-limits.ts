import { useQuery } from "@tanstack/react-query";
import { scopeAllows } from "@waymark/shared/api-keys/scope-allows.ts";
import { Limits } from "@waymark/shared/limits/schema.ts";
import type { Session } from "@waymark/shared/session/schema.ts";
import { z } from "zod";
import { callApi } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";
import { useSession } from "../lib/use-session.ts";

export function useLimits() {
  return useQuery({
    queryKey: ["limits", "all"],
    queryFn: ({ signal }) => callApi(Limits, "/api/limits", { signal }),
  });
}

const Counted = z.object({ status: z.string().optional() });

/**
 * The number of the organization's items of a kind. Undefined for sessions that may not list them, and until it is
 * known.
 */
function useCount(list: { path: string; field: string; status?: string } & Listed) {
  const { path, field, status } = list;
  const { data: session } = useSession();
  // The list of a limited key has less than the organization.
  const mayRead = session !== null && session !== undefined && readsAll(session, list);
  const { data } = useQuery({
    queryKey: ["count", path],
    queryFn: ({ signal }) => loadAll(Counted, path, field, signal),
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
  const keys = `/api/api-keys?organizationId=${session?.organizationId ?? ""}`;
  return {
    services: useCount({
      path: "/api/services",
      field: "services",
      permission: "services:read",
      resourceType: "service",
    }),
    activeKeys: useCount({
      path: keys,
      field: "apiKeys",
      permission: "api-keys:read",
      resourceType: "api_key",
      status: "active",
    }),
    environments: useCount({
      path: "/api/environments",
      field: "environments",
      permission: "environments:read",
      resourceType: "environment",
    }),
    schedules: useCount({
      path: "/api/journey-schedules",
      field: "schedules",
      permission: "journeys:read",
      resourceType: "workflow",
    }),
  };
}
