import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  deleteChangeApproval,
  listAllChangeApprovals,
  listChangeApprovals,
} from "@waymark/shared/scans/approvals/addresses.ts";
import { ChangeApprovalPage, ServiceChangeApprovalPage } from "@waymark/shared/scans/approvals/schema.ts";
import { callApi } from "../api.ts";
import { apiQuery } from "../api-query.ts";
import { readPages } from "../read-query.ts";
import { withoutEmpty } from "../without-empty.ts";

const KEY = ["change-approvals"];
const keyOf = (serviceId: string) => ["service", serviceId, "approvals"];

/** The approvals of a service's changes, newest first. */
export function useApprovals(serviceId: string) {
  const query = apiQuery(keyOf(serviceId), listChangeApprovals, { params: { serviceId }, query: {} });
  return useInfiniteQuery({
    ...readPages(query, ChangeApprovalPage),
    select: ({ pages }) => pages.flatMap(({ approvals }) => approvals),
  });
}

/** The approvals of the changes of all services, newest first. An empty value of the filter sets no condition. */
export function useAllApprovals(filter: { serviceId: string; state: string; owner: string; label: string }) {
  const query = apiQuery([...KEY, filter], listAllChangeApprovals, { query: withoutEmpty(filter) });
  return useInfiniteQuery({
    ...readPages(query, ServiceChangeApprovalPage),
    select: ({ pages }) => pages.flatMap(({ approvals }) => approvals),
  });
}

/** Revokes an approval: its change no longer passes gates. */
export function useRevokeApproval(serviceId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (fingerprint: string) =>
      callApi(deleteChangeApproval, { params: { serviceId, fingerprint } }),
    onSuccess: () =>
      Promise.all(
        [KEY, ["service", serviceId], ["scan-run"], ["overview"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
