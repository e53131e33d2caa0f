import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  createFindingDecision,
  deleteFindingDecision,
} from "@waymark/shared/scans/finding-decisions/addresses.ts";
import {
  type CreateFindingDecisionRequest,
  FindingDecision,
  FindingDecisionPage,
} from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { z } from "zod";
import { callApi } from "../../lib/api.ts";
import { readPages } from "../../lib/read-query.ts";
import { DECISIONS_KEY, type DecisionFilter, decisionsQuery } from "./api-queries.ts";

/** The decisions about findings that match the filter, newest first. */
export function useDecisions(filter: DecisionFilter) {
  const query = decisionsQuery(filter);
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
      [
        DECISIONS_KEY,
        ["finding-assignments"],
        ["scan-run"],
        ["findings"],
        ["service"],
        ["services"],
        ["overview"],
      ].map((queryKey) => client.invalidateQueries({ queryKey })),
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
