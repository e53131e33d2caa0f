import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getSeverityPolicy, replaceSeverityPolicy } from "@waymark/shared/scans/severity-policy/addresses.ts";
import { type DueDays, SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { callApi } from "../../lib/api.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { readQuery } from "../../lib/read-query.ts";

const QUERY = apiQuery(["severity-policy"], getSeverityPolicy, {});

const AFFECTED = ["severity-policy", "findings", "scan-run", "services", "service", "overview"];

/** The organization's severity policy. */
export function useSeverityPolicy() {
  return useQuery(readQuery(QUERY, SeverityPolicy));
}

/** Replaces this revision of the policy, and none that somebody else has changed meanwhile. Days that are left out stay as they are. */
export function useReplacePolicy({ revision }: Pick<SeverityPolicy, "revision">) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (content: Pick<SeverityPolicy, "rules"> & { dueDays?: Partial<DueDays> }) =>
      callApi(
        replaceSeverityPolicy,
        { headers: { "if-match": `"${revision}"` }, body: content },
        { read: SeverityPolicy },
      ),
    onSettled: () =>
      // Deadlines are in every list and number of findings.
      Promise.all(AFFECTED.map((key) => client.invalidateQueries({ queryKey: [key] }))),
  });
}
