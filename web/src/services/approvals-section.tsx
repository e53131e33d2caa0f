import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { ApprovalTable } from "../lib/approvals/approval-table.tsx";
import { useApprovals } from "../lib/approvals/use-approvals.ts";
import { countOf } from "../lib/count-of.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LoadMore } from "../lib/load-more.tsx";

/** The approvals of a service's changes, with their ends. Renders nothing if there are none. */
export function ApprovalsSection({ serviceId }: { serviceId: string }) {
  const approvals = useApprovals(serviceId);
  if (approvals.isLoadingError)
    return <ErrorAlert error={approvals.error} onRetry={() => void approvals.refetch()} />;
  if (approvals.data === undefined || approvals.data.length === 0) return null;
  const open = approvals.data.filter(({ state }) => state === "open").length;
  return (
    <details open={open > 0}>
      <summary>
        {open === 0
          ? "Approved changes: none passes gates now"
          : `Approved changes: ${countOf(open, "approvals")} ${open === 1 ? "passes" : "pass"} gates`}
      </summary>
      <ApprovalTable approvals={approvals.data.map((approval) => ({ approval, serviceId }))} />
      <LoadMore pages={approvals} label="Load older approvals" />
      <Anchor component={Link} href={`/decisions?serviceId=${serviceId}`} size="sm">
        Decisions about this service's findings and changes
      </Anchor>
    </details>
  );
}
