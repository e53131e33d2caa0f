import {
  ApiKey,
  ApiKeyPolicy,
  type CreateApiKeyRequest,
  CreatedApiKeyResult,
  RevokedApiKeyResult,
} from "@waymark/shared/api-keys/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { callApi } from "../lib/api.ts";
import { loadAll } from "../lib/load-all.ts";
import { hasPermission, useSession } from "../lib/use-session.ts";

/** The cache key of the list of keys, and of the requests that change keys. */
export const KEYS = ["api-keys"];
/** The cache keys of other data that contains keys. */
const OTHERS = [["api-key-names"], ["overview"]];

export function useApiKeys({ enabled = true } = {}) {
  const { data: session } = useSession();
  return useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) =>
      loadAll(ApiKey, `/api/api-keys?organizationId=${session?.organizationId ?? ""}`, "apiKeys", signal),
    enabled: enabled && session !== null && session !== undefined,
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
  return useKeyMutation((request: CreateApiKeyRequest) =>
    callApi(CreatedApiKeyResult, "/api/api-keys", { method: "POST", body: request }),
  );
}

/** Takes a key's id, or `self` for the signed-in key, which needs no permission to revoke itself. */
export function useRevokeKey() {
  return useKeyMutation(({ id, children }: { id: string; children: boolean }) =>
    callApi(RevokedApiKeyResult, `/api/api-keys/${id}/revoke`, { method: "POST", body: { children } }),
  );
}

export function useSetKeyDisabled() {
  return useKeyMutation(({ id, disabled }: { id: string; disabled: boolean }) =>
    callApi(ApiKey, `/api/api-keys/${id}/${disabled ? "disable" : "enable"}`, { method: "POST", body: {} }),
  );
}

const NameOnly = z.object({ name: z.string() });

/** The names of the services, to choose from. Empty for sessions that may not list them. */
export function useServiceNames(): string[] {
  const { data: session } = useSession();
  const { data } = useQuery({
    queryKey: ["service-names"],
    queryFn: ({ signal }) => loadAll(NameOnly, "/api/services", "services", signal),
    enabled: session !== null && session !== undefined && hasPermission(session, "services:read"),
  });
  return [...new Set(data?.map(({ name }) => name))].toSorted();
}

const Limits = z.object({ apiKeyPolicy: ApiKeyPolicy });

/** The longest lifetime of a new key, in days: null for no maximum, undefined while loading. */
export function useLifetimeDaysMax(): number | null | undefined {
  const { data } = useQuery({
    queryKey: ["limits"],
    queryFn: ({ signal }) => callApi(Limits, "/api/limits", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.apiKeyPolicy.lifetimeDaysMax;
}

export function useRotateKey() {
  return useKeyMutation(({ id, graceSeconds }: { id: string; graceSeconds: number }) =>
    callApi(CreatedApiKeyResult, `/api/api-keys/${id}/rotate`, { method: "POST", body: { graceSeconds } }),
  );
}
