import { useQuery } from "@tanstack/react-query";
import type { ApiQuery } from "./api-query.ts";
import { ENVIRONMENT_CHOICES, SERVICE_CHOICES } from "./api-queries.ts";
import { z } from "zod";
import { readList } from "./read-query.ts";
import { hasPermission, NOBODY, onlyEnvironmentOf, onlyServiceOf } from "./permissions.ts";
import { useSession } from "./use-session.ts";

/** The members of an item that a select needs. */
const Choice = z.object({ id: z.string(), name: z.string() });
export type Choice = z.infer<typeof Choice>;

/** Returns all services by name, or the only one of a limited key. Empty for sessions that may not list them. */
export function useServiceChoices(): Choice[] {
  const { data: session } = useSession();
  const only = onlyServiceOf(session ?? NOBODY);
  return useChoices({ permission: "services:read", query: SERVICE_CHOICES, field: "services", only });
}

/** Returns all environments by name, or the only one of a limited key. Empty for sessions that may not list them. */
export function useEnvironmentChoices(): Choice[] {
  const { data: session } = useSession();
  const only = onlyEnvironmentOf(session ?? NOBODY, "journeys:read");
  return useChoices({
    permission: "environments:read",
    query: ENVIRONMENT_CHOICES,
    field: "environments",
    only,
  });
}

function useChoices(list: {
  permission: string;
  query: ApiQuery;
  field: string;
  only: string | undefined;
}): Choice[] {
  const { permission, query, field, only } = list;
  const { data: session } = useSession();
  const mayList = only === undefined && session !== null && session !== undefined;
  const { data = [] } = useQuery({
    ...readList(query, { field, item: Choice }),
    enabled: mayList && hasPermission(session, permission),
    staleTime: 60_000,
  });
  if (only !== undefined) return [{ id: only, name: "that of your key" }];
  return data.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
