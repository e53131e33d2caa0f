import { Anchor, Badge, Button, Text } from "@mantine/core";
import type { ChangeApproval, ChangeApprovalState } from "@waymark/shared/scans/approvals/schema.ts";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { byWhom } from "../by-whom.ts";
import { Copyable } from "../facts.tsx";
import { lazyDialog } from "../lazy-dialog.tsx";
import { ResponsiveTable } from "../responsive-table.tsx";
import { Time } from "../time.tsx";
import { useKeyNames } from "../use-key-names.ts";
import { useMay } from "../use-session.ts";
import { LEVELS } from "../verdicts/levels.ts";
import { useRevokeApproval } from "./use-approvals.ts";

const ConfirmDialog = lazyDialog(async () => (await import("../confirm-dialog.tsx")).ConfirmDialog);

const STATES: Readonly<Record<ChangeApprovalState, { label: string; color: string }>> = {
  open: { label: "holds", color: "teal.9" },
  used: { label: "used up", color: "gray.7" },
  expired: { label: "ended", color: "gray.7" },
};

/** An approval, and the service that it is for. */
export interface ShownApproval {
  approval: ChangeApproval;
  serviceId: string;
  /** The service in a table of several; nothing in a table of one. */
  service?: ReactNode;
  /** The number of the pull request that it was given for. */
  pullRequest?: string | null;
}

/** A table of approvals of changes, which can be revoked. */
export function ApprovalTable({ approvals }: { approvals: readonly ShownApproval[] }) {
  const mayApprove = useMay("changes:approve");
  const names = useKeyNames();
  const [revoking, setRevoking] = useState<ShownApproval>();
  const hasServices = approvals.some(({ service }) => service !== undefined);
  return (
    <>
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Change</th>
            {hasServices && <th style={{ minWidth: "8rem" }}>Service</th>}
            <th>State</th>
            <th>Reason</th>
            <th>Until</th>
            <th>Approved</th>
            <th>
              <span className="visually-hidden">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {approvals.map((shown) => {
            const { approval } = shown;
            return (
              <tr key={approval.id}>
                <td className="breaks">
                  <Change approval={approval} />
                </td>
                {hasServices && (
                  <td data-label="Service" className="breaks">
                    {shown.service}
                  </td>
                )}
                <td data-label="State">
                  <Badge color={STATES[approval.state].color} size="sm">
                    {STATES[approval.state].label}
                  </Badge>{" "}
                  <RunOf {...shown} />
                </td>
                <td data-label="Reason" data-wide className="breaks">
                  {approval.reason}
                </td>
                <td data-label="Until" className="whole">
                  {approval.until ?? "it is current"}
                </td>
                <td data-label="Approved">
                  <Time at={approval.approvedAt} />
                  {byWhom(approval.approver, names?.get(approval.approvedBy))}
                </td>
                <td>
                  {mayApprove && approval.state === "open" && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Revoke the approval of ${nameOf(approval)}`}
                      onClick={() => setRevoking(shown)}
                    >
                      Revoke
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </ResponsiveTable>
      {revoking !== undefined && <RevokeDialog {...revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

/** Says what was approved; if it is not known, the fingerprint stands for it. */
function Change({ approval: { change, fingerprint } }: { approval: ChangeApproval }) {
  if (change === null) return <Copyable value={fingerprint} what="the fingerprint" />;
  const { level, message, operations, operationCount } = change;
  const more = operationCount - operations.length;
  return (
    <>
      <Badge color={LEVELS[level].color} size="sm">
        {LEVELS[level].label}
      </Badge>{" "}
      <span title={fingerprint}>{message}</span>
      <Text size="sm" c="dimmed">
        {operations.map(({ method, path }) => `${method} ${path}`.trim()).join(", ")}
        {more > 0 && ` and ${more} more`}
      </Text>
    </>
  );
}

/** Leads to the run with which the change became current, or for which it was approved. */
function RunOf({ approval: { usedByScanRunId, scanRunId }, pullRequest = null }: ShownApproval) {
  const run = usedByScanRunId ?? scanRunId;
  if (run === null) return null;
  const given = pullRequest === null ? "for a run" : `for pull request ${pullRequest}`;
  return (
    <Anchor component={Link} href={`/scan-runs/${run}?tab=changes`}>
      {usedByScanRunId === null ? given : "by a run"}
    </Anchor>
  );
}

function RevokeDialog(props: ShownApproval & { onClose: () => void }) {
  const { serviceId, approval, onClose } = props;
  const revoke = useRevokeApproval(serviceId);
  return (
    <ConfirmDialog
      title="Revoke this approval?"
      action="Revoke the approval"
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(approval.fingerprint, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text>
        The change no longer passes gates: {nameOf(approval)}. It was approved with the reason:{" "}
        {approval.reason}
      </Text>
    </ConfirmDialog>
  );
}

function nameOf({ change, fingerprint }: ChangeApproval): string {
  return change?.message ?? fingerprint;
}
