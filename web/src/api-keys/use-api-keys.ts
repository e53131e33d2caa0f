import * as addresses from "@waymark/shared/api-keys/addresses.ts";
import {
  type CreateApiKeyRequest,
  CreatedApiKeyResult,
  RevokedApiKeyResult,
  ApiKey,
  ApiKeyPolicy,
} from "@waymark/shared/api-keys/schema.ts";
import { getLimits } from "@waymark/shared/limits/addresses.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { callApi } from "../lib/api.ts";
import { readList } from "../lib/read-query.ts";
import { isUser, NOBODY } from "../lib/permissions.ts";
import { useSession } from "../lib/use-session.ts";
import { apiKeysQuery, KEYS, ownKeysQuery } from "./api-queries.ts";

/** The cache keys of other data that contains keys. */
const OTHERS = [["api-key-names"], ["overview"]];

export function useApiKeys({ enabled = true } = {}) {
  const { data: session } = useSession();
  return useQuery({
    ...readList(apiKeysQuery(session ?? NOBODY), { field: "apiKeys", item: ApiKey }),
    enabled: enabled && session !== null && session !== undefined,
  });
}

/** The keys of the signed-in user, newest first. Disabled for keys that belong to no user. */
export function useOwnKeys() {
  const { data: session } = useSession();
  return useQuery({
    ...readList(ownKeysQuery(session ?? NOBODY), { field: "apiKeys", item: ApiKey }),
    enabled: isUser(session ?? NOBODY),
  });
}

function useKeyMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: KEYS,
    mutationFn,
    onSuccess: () => {
      for (const queryKey of OTHERS) void client.invalidateQueries({ queryKey });
      return client.invalidateQueries({ queryKey: KEYS });
    },
  });
}

export function useCreateKey() {
  return useKeyMutation((body: CreateApiKeyRequest) =>
    callApi(addresses.createApiKey, { body }, { read: CreatedApiKeyResult }),
  );
}

/** Takes a key's id, or `self` for the signed-in key, which needs no permission to revoke itself. */
export function useRevokeKey() {
  return useKeyMutation(({ id, children }: { id: string; children: boolean }) =>
    id === "self"
      ? callApi(addresses.revokeOwnApiKey, { body: { children } }, { read: RevokedApiKeyResult })
      : callApi(
          addresses.revokeApiKey,
          { params: { apiKeyId: id }, body: { children } },
          { read: RevokedApiKeyResult },
        ),
  );
}

export function useSetKeyDisabled() {
  return useKeyMutation(({ id, disabled }: { id: string; disabled: boolean }) =>
    callApi(
      disabled ? addresses.disableApiKey : addresses.enableApiKey,
      { params: { apiKeyId: id }, body: {} },
      { read: ApiKey },
    ),
  );
}

const KeyLimits = z.object({ apiKeyPolicy: ApiKeyPolicy });

/** The longest lifetime of a new key, in days: null for no maximum, undefined while loading. */
export function useLifetimeDaysMax(): number | null | undefined {
  const { data } = useQuery({
    queryKey: ["limits"],
    queryFn: ({ signal }) => callApi(getLimits, {}, { signal, read: KeyLimits }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.apiKeyPolicy.lifetimeDaysMax;
}

export function useRotateKey() {
  return useKeyMutation(({ id, graceSeconds }: { id: string; graceSeconds: number }) =>
    callApi(
      addresses.rotateApiKey,
      { params: { apiKeyId: id }, body: { graceSeconds } },
      { read: CreatedApiKeyResult },
    ),
  );
}
