import { Skeleton, Text } from "@mantine/core";
import { RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import { useState } from "react";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { useLabelFilter } from "../../lib/label-filter.tsx";
import { useOwnerFilter } from "../../lib/owner-filter.tsx";
import { InboxTable } from "./inbox-table.tsx";
import { itemOfPullRequest } from "./pull-request-items.ts";
import { usePullRequests } from "./use-pull-requests.ts";

/** The pull requests that were scanned lately, and what they would break: one line until it is opened. */
export function PullRequests() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Pull requests that were scanned in the last {RECENT_DAYS} days</summary>
      {isOpen && <Opened />}
    </details>
  );
}

function Opened() {
  const { text: label } = useLabelFilter();
  const owner = useOwnerFilter();
  const { data, isPending, isLoadingError, error, refetch } = usePullRequests({ label, owner });
  if (isPending) return <Skeleton height={120} aria-label="Loading the pull requests" />;
  if (isLoadingError) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  const { pullRequests, count } = data;
  if (count === 0)
    return (
      <Text mt="xs">
        {label === "" && owner === ""
          ? "No pull request was scanned."
          : "No pull request of services that match the filters was scanned."}
      </Text>
    );
  const section = { section: "pullRequests", items: pullRequests.map(itemOfPullRequest), count } as const;
  return <InboxTable label="Pull requests" sections={[section]} isWhole />;
}
