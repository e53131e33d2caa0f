import { useQuery } from "@tanstack/react-query";
import { listApiKeys } from "@waymark/shared/api-keys/addresses.ts";
import { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { loadAll } from "./load-all.ts";
import { useMay, useSession } from "./use-session.ts";

const NamedKey = ApiKey.pick({ id: true, name: true });

/** The names of the keys by id. Empty for sessions without `api-keys:read`, and until they are loaded. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data: session } = useSession();
  const mayRead = useMay("api-keys:read");
  const { data = [] } = useQuery({
    queryKey: ["api-key-names"],
    queryFn: ({ signal }) =>
      loadAll(
        {
          address: listApiKeys,
          parts: { query: { organizationId: session?.organizationId ?? "" } },
          field: "apiKeys",
          item: NamedKey,
        },
        signal,
      ),
    enabled: mayRead,
    staleTime: 60_000,
  });
  return new Map(data.map(({ id, name }) => [id, name]));
}
