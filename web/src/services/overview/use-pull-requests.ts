import { useQuery } from "@tanstack/react-query";
import { listPullRequests } from "@waymark/shared/services/addresses.ts";
import { ScannedPullRequestList } from "@waymark/shared/services/pull-requests/schema.ts";
import { apiQuery } from "../../lib/api-query.ts";
import { readQuery } from "../../lib/read-query.ts";
import { withoutEmpty } from "../../lib/without-empty.ts";

/** The pull requests that were scanned lately. */
export function usePullRequests(filter: { label: string; owner: string }) {
  return useQuery(
    readQuery(
      apiQuery(["overview", "pull-requests", filter], listPullRequests, { query: withoutEmpty(filter) }),
      ScannedPullRequestList,
    ),
  );
}
