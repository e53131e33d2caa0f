import { useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { loadAll } from "./load-all.ts";
import { useMay, useSession } from "./use-session.ts";

const NamedKey = z.object({ id: z.string(), name: z.string() });

/** The names of the keys by id. Empty for sessions without `api-keys:read`, and until they are loaded. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data: session } = useSession();
  const mayRead = useMay("api-keys:read");
  const { data = [] } = useQuery({
    queryKey: ["api-key-names"],
    queryFn: ({ signal }) =>
      loadAll(NamedKey, `/api/api-keys?organizationId=${session?.organizationId ?? ""}`, "apiKeys", signal),
    enabled: mayRead,
    staleTime: 60_000,
  });
  return new Map(data.map(({ id, name }) => [id, name]));
}
