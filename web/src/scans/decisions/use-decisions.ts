import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  createFindingDecision,
  deleteFindingDecision,
  listFindingDecisions,
} from "@waymark/shared/scans/finding-decisions/addresses.ts";
import {
  type CreateFindingDecisionRequest,
  FindingDecision,
  FindingDecisionPage,
} from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { z } from "zod";
import { callApi } from "../../lib/api.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { readPages } from "../../lib/read-query.ts";
import { withoutEmpty } from "../../lib/without-empty.ts";

const KEY = ["finding-decisions"];

/** The decisions for a service, or all if that is empty, newest first. */
export function useDecisions(serviceId: string) {
  const query = apiQuery([...KEY, serviceId], listFindingDecisions, { query: withoutEmpty({ serviceId }) });
  return useInfiniteQuery({
    ...readPages(query, FindingDecisionPage),
    select: ({ pages }) => pages.flatMap(({ decisions }) => decisions),
  });
}

/** Decides about a finding or a rule. */
export function useDecide() {
  const refresh = useRefreshDecided();
  return useMutation({
    mutationFn: (body: z.input<typeof CreateFindingDecisionRequest>) =>
      callApi(createFindingDecision, { body }, { read: FindingDecision }),
    onSuccess: refresh,
  });
}

/** Revokes a decision: its findings are open again. */
export function useRevoke() {
  const refresh = useRefreshDecided();
  return useMutation({
    mutationFn: (decisionId: string) => callApi(deleteFindingDecision, { params: { decisionId } }),
    onSuccess: refresh,
  });
}

/** Loads everything again that marks or counts findings. */
export function useRefreshDecided(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [KEY, ["finding-assignments"], ["scan-run"], ["findings"], ["service"], ["services"], ["overview"]].map(
        (queryKey) => client.invalidateQueries({ queryKey }),
      ),
    );
}

const LAST_REASON = ["last-reason"];

/** The reason of the session's last decision: who decides about many findings in a row often has one reason for several. */
export function useLastReason(): { reason: string; keep: (reason: string) => void } {
  const client = useQueryClient();
  return {
    reason: client.getQueryData<string>(LAST_REASON) ?? "",
    keep: (reason) => client.setQueryData(LAST_REASON, reason),
  };
}
