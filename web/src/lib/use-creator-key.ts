import { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { apiKeyQuery } from "./api-queries.ts";
import { NOBODY } from "./permissions.ts";
import { readQuery } from "./read-query.ts";
import { useMay, useSession } from "./use-session.ts";

/** The key that a run was created with. Disabled for sessions without `api-keys:read`. */
export function useCreatorKey(run: { createdByKeyId: string } | undefined) {
  const { data: session } = useSession();
  const mayRead = useMay("api-keys:read");
  return useQuery({
    ...readQuery(apiKeyQuery(run?.createdByKeyId ?? "", session ?? NOBODY), ApiKey),
    enabled: mayRead && run !== undefined,
    staleTime: 60_000,
  });
}
