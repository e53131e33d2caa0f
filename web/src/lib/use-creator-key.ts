import { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { getApiKey } from "@waymark/shared/api-keys/addresses.ts";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "./api.ts";
import { useMay, useSession } from "./use-session.ts";

/** The key that a run was created with. Disabled for sessions without `api-keys:read`. */
export function useCreatorKey(run: { createdByKeyId: string } | undefined) {
  const { data: session } = useSession();
  const mayRead = useMay("api-keys:read");
  return useQuery({
    queryKey: ["api-key", run?.createdByKeyId],
    queryFn: ({ signal }) =>
      callApi(
        getApiKey,
        {
          params: { apiKeyId: run?.createdByKeyId ?? "" },
          query: { organizationId: session?.organizationId ?? "" },
        },
        { signal, read: ApiKey },
      ),
    enabled: mayRead && run !== undefined,
    staleTime: 60_000,
  });
}
