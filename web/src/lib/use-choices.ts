import { useQuery } from "@tanstack/react-query";
import { listEnvironments } from "@waymark/shared/environments/addresses.ts";
import type { Address } from "@waymark/shared/operations/operation.ts";
import { listServices } from "@waymark/shared/services/addresses.ts";
import { z } from "zod";
import { loadAll } from "./load-all.ts";
import { hasPermission, onlyEnvironmentOf, onlyServiceOf, useSession } from "./use-session.ts";

/** The members of an item that a select needs. */
const Choice = z.object({ id: z.string(), name: z.string() });
export type Choice = z.infer<typeof Choice>;

/** Returns all services by name, or the only one of a limited key. Empty for sessions that may not list them. */
export function useServiceChoices(): Choice[] {
  const { data: session } = useSession();
  const only = onlyServiceOf(session ?? NOBODY);
  return useChoices({ permission: "services:read", address: listServices, field: "services", only });
}

/** Returns all environments by name, or the only one of a limited key. Empty for sessions that may not list them. */
export function useEnvironmentChoices(): Choice[] {
  const { data: session } = useSession();
  const only = onlyEnvironmentOf(session ?? NOBODY, "journeys:read");
  return useChoices({
    permission: "environments:read",
    address: listEnvironments,
    field: "environments",
    only,
  });
}

const NOBODY = { scopes: [] };

function useChoices(list: {
  permission: string;
  address: Address;
  field: string;
  only: string | undefined;
}): Choice[] {
  const { permission, address, field, only } = list;
  const { data: session } = useSession();
  const mayList = only === undefined && session !== null && session !== undefined;
  const { data = [] } = useQuery({
    queryKey: [field, "choices"],
    queryFn: ({ signal }) => loadAll({ address, field, item: Choice }, signal),
    enabled: mayList && hasPermission(session, permission),
    staleTime: 60_000,
  });
  if (only !== undefined) return [{ id: only, name: "that of your key" }];
  return data.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
