import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteChangeApproval, listChangeApprovals } from "@waymark/shared/scans/approvals/addresses.ts";
import { ChangeApprovalPage } from "@waymark/shared/scans/approvals/schema.ts";
import { callApi } from "../lib/api.ts";
import { apiQuery } from "../lib/api-query.ts";
import { readPages } from "../lib/read-query.ts";

const keyOf = (serviceId: string) => ["service", serviceId, "approvals"];

/** The approvals of a service's changes, newest first. */
export function useApprovals(serviceId: string) {
  const query = apiQuery(keyOf(serviceId), listChangeApprovals, { params: { serviceId }, query: {} });
  return useInfiniteQuery({
    ...readPages(query, ChangeApprovalPage),
    select: ({ pages }) => pages.flatMap(({ approvals }) => approvals),
  });
}

/** Ends an approval: its change no longer passes gates. */
export function useEndApproval(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (fingerprint: string) =>
      callApi(deleteChangeApproval, { params: { serviceId, fingerprint } }),
    onSuccess: () =>
      Promise.all(
        [["service", serviceId], ["scan-run"]].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}
