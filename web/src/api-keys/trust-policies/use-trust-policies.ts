import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as addresses from "@waymark/shared/api-keys/trust-policies/addresses.ts";
import { TrustPolicy, type TrustPolicyRequest } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { callApi } from "../../lib/api.ts";
import { readList } from "../../lib/read-query.ts";
import { TRUST_POLICIES } from "./api-queries.ts";

export function useTrustPolicies() {
  return useQuery(readList(TRUST_POLICIES, { field: "trustPolicies", item: TrustPolicy }));
}

/** A change, after which the list is read again, also after a refusal: somebody else may have changed it. */
function useChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: TRUST_POLICIES.queryKey }),
  });
}

export function useCreateTrustPolicy() {
  return useChange((body: TrustPolicyRequest) =>
    callApi(addresses.createTrustPolicy, { body }, { read: TrustPolicy }),
  );
}

/** Replaces the settings of this revision, and none that somebody else has changed meanwhile. */
export function useReplaceTrustPolicy({ id, revision }: Pick<TrustPolicy, "id" | "revision">) {
  return useChange((body: TrustPolicyRequest) =>
    callApi(
      addresses.replaceTrustPolicy,
      { params: { trustPolicyId: id }, headers: { "if-match": `"${revision}"` }, body },
      { read: TrustPolicy },
    ),
  );
}

export function useDeleteTrustPolicy(trustPolicyId: string) {
  return useChange(() => callApi(addresses.deleteTrustPolicy, { params: { trustPolicyId } }));
}
