import { Anchor, Badge, Button, Text } from "@mantine/core";
import type { ChangeApproval } from "@waymark/shared/scans/approvals/schema.ts";
import { useState } from "react";
import { Link } from "wouter";
import { byWhom } from "../lib/by-whom.ts";
import { countOf } from "../lib/count-of.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LoadMore } from "../lib/load-more.tsx";
import { Copyable } from "../lib/facts.tsx";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { Time } from "../lib/time.tsx";
import { useKeyNames } from "../lib/use-key-names.ts";
import { useMay } from "../lib/use-session.ts";
import { useApprovals, useEndApproval } from "./use-approvals.ts";

const ConfirmDialog = lazyDialog(async () => (await import("../lib/confirm-dialog.tsx")).ConfirmDialog);

const STATE_COLORS = { open: "teal.9", used: "gray.7", expired: "gray.7" } as const;

/** The approvals of a service's changes, with their ends. Renders nothing if there are none. */
export function ApprovalsSection({ serviceId }: { serviceId: string }) {
  const approvals = useApprovals(serviceId);
  const [ending, setEnding] = useState<ChangeApproval>();
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
      <ApprovalTable approvals={approvals.data} onEnd={setEnding} />
      <LoadMore pages={approvals} label="Load older approvals" />
      {ending !== undefined && (
        <EndDialog serviceId={serviceId} approval={ending} onClose={() => setEnding(undefined)} />
      )}
    </details>
  );
}

function ApprovalTable(props: {
  approvals: readonly ChangeApproval[];
  onEnd: (approval: ChangeApproval) => void;
}) {
  const mayApprove = useMay("changes:approve");
  const names = useKeyNames();
  return (
    <ResponsiveTable>
      <thead>
        <tr>
          <th>Change</th>
          <th>State</th>
          <th>Reason</th>
          <th>Until</th>
          <th>Approved</th>
          <th>
            <span className="visually-hidden">End</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.approvals.map((approval) => (
          <tr key={approval.id}>
            <td>
              <Copyable value={approval.fingerprint} what="the fingerprint" />
            </td>
            <td data-label="State">
              <Badge color={STATE_COLORS[approval.state]} size="sm">
                {approval.state}
              </Badge>{" "}
              <UsedBy approval={approval} />
            </td>
            <td data-label="Reason" data-wide className="breaks">
              {approval.reason}
            </td>
            <td data-label="Until">{approval.until ?? "it is current"}</td>
            <td data-label="Approved">
              <Time at={approval.approvedAt} />
              {byWhom(approval.approver, names?.get(approval.approvedBy))}
            </td>
            <td>
              {mayApprove && approval.state === "open" && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`End the approval of ${approval.fingerprint}`}
                  onClick={() => props.onEnd(approval)}
                >
                  End
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </ResponsiveTable>
  );
}

/** Leads to the run with which the change became current, or for which it was approved. */
function UsedBy({ approval: { usedByScanRunId, scanRunId } }: { approval: ChangeApproval }) {
  const run = usedByScanRunId ?? scanRunId;
  if (run === null) return null;
  return (
    <Anchor component={Link} href={`/scan-runs/${run}?tab=changes`}>
      {usedByScanRunId === null ? "for a run" : "by a run"}
    </Anchor>
  );
}

function EndDialog(props: { serviceId: string; approval: ChangeApproval; onClose: () => void }) {
  const { serviceId, approval, onClose } = props;
  const end = useEndApproval(serviceId);
  return (
    <ConfirmDialog
      title="End this approval?"
      action="End the approval"
      pending={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate(approval.fingerprint, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text>
        The change {approval.fingerprint} no longer passes gates. It was approved with the reason:{" "}
        {approval.reason}
      </Text>
    </ConfirmDialog>
  );
}
