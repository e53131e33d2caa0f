import { useQuery } from "@tanstack/react-query";
import { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { apiKeyNamesQuery } from "./api-queries.ts";
import { NOBODY } from "./permissions.ts";
import { readList } from "./read-query.ts";
import { useMay, useSession } from "./use-session.ts";

const NamedKey = ApiKey.pick({ id: true, name: true });

/**
 * The names of the keys by id; undefined while they are loading. Empty for sessions without `api-keys:read`, and if they can't be
 * loaded.
 */
export function useKeyNames(): ReadonlyMap<string, string> | undefined {
  const { data: session } = useSession();
  const mayRead = useMay("api-keys:read");
  const { data = [], isLoading } = useQuery({
    ...readList(apiKeyNamesQuery(session ?? NOBODY), { field: "apiKeys", item: NamedKey }),
    enabled: mayRead,
    staleTime: 60_000,
  });
  return isLoading ? undefined : new Map(data.map(({ id, name }) => [id, name]));
}
