import { useQuery } from "@tanstack/react-query";
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

/** How many the organization has of something. Undefined for sessions that may not list it, and until it is known. */
function useCount(list: { path: string; field: string; permission: string; status?: string }) {
  const { path, field, permission, status } = list;
  const { data: session } = useSession();
  // The list of a limited key has less than the organization.
  const mayRead = session !== null && session !== undefined && readsAll(session, permission);
  const { data } = useQuery({
    queryKey: ["count", path],
    queryFn: ({ signal }) => loadAll(Counted, path, field, signal),
    enabled: mayRead,
    retry: false,
  });
  return data?.filter((item) => status === undefined || item.status === status).length;
}

/** True if a scope without constraints has the permission. */
function readsAll({ scopes }: Session, wanted: string): boolean {
  return scopes.some(({ permission, ...scope }) => {
    const isUnlimited = Object.values({ ...scope, id: undefined }).every(
      (value) => value === null || value === undefined || Object.keys(value).length === 0,
    );
    return isUnlimited && (permission === wanted || permission === "*");
  });
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
    services: useCount({ path: "/api/services", field: "services", permission: "services:read" }),
    activeKeys: useCount({ path: keys, field: "apiKeys", permission: "api-keys:read", status: "active" }),
    environments: useCount({
      path: "/api/environments",
      field: "environments",
      permission: "environments:read",
    }),
    schedules: useCount({
      path: "/api/journey-schedules",
      field: "schedules",
      permission: "journeys:read",
    }),
  };
}
