import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getSeverityPolicy, replaceSeverityPolicy } from "@waymark/shared/scans/severity-policy/addresses.ts";
import { SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { callApi } from "../../lib/api.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { readQuery } from "../../lib/read-query.ts";

const QUERY = apiQuery(["severity-policy"], getSeverityPolicy, {});

/** The organization's severity policy. */
export function useSeverityPolicy() {
  return useQuery(readQuery(QUERY, SeverityPolicy));
}

/** Replaces the rules of this revision of the policy, and none that somebody else has changed meanwhile. */
export function useReplacePolicy({ revision }: Pick<SeverityPolicy, "revision">) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rules: SeverityPolicy["rules"]) =>
      callApi(
        replaceSeverityPolicy,
        { headers: { "if-match": `"${revision}"` }, body: { rules } },
        { read: SeverityPolicy },
      ),
    onSettled: () => client.invalidateQueries({ queryKey: QUERY.queryKey }),
  });
}
