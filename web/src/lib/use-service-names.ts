import { listServices } from "@waymark/shared/services/addresses.ts";
import { useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { loadAll } from "./load-all.ts";
import { useMay } from "./use-session.ts";

const NameOnly = z.object({ name: z.string() });

/** The names of the services, to choose from. Empty for sessions that may not list them. */
export function useServiceNames(): string[] {
  const { data } = useQuery({
    queryKey: ["service-names"],
    queryFn: ({ signal }) => loadAll({ address: listServices, field: "services", item: NameOnly }, signal),
    enabled: useMay("services:read"),
  });
  return [...new Set(data?.map(({ name }) => name))].toSorted();
}
