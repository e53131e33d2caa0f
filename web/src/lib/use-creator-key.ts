import { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { apiKeyQuery } from "./api-queries.ts";
import { isKeyShown } from "./is-key-shown.ts";
import { NOBODY } from "./permissions.ts";
import { readQuery } from "./read-query.ts";
import { useSession } from "./use-session.ts";

interface CreatedRun {
  createdByKeyId: string;
  /** The person or the service account to which the key belongs. */
  creator: { displayName: string | null } | null;
}

/** The key that a run was created with. Disabled for sessions without `api-keys:read`, and where a person is shown in its place. */
export function useCreatorKey(run: CreatedRun | undefined) {
  const { data: session } = useSession();
  const mayRead = isKeyShown(run, session);
  return useQuery({
    ...readQuery(apiKeyQuery(run?.createdByKeyId ?? "", session ?? NOBODY), ApiKey),
    enabled: mayRead,
    staleTime: 60_000,
  });
}
