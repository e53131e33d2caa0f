import { List, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createChangeApprovals } from "@waymark/shared/scans/approvals/addresses.ts";
import { APPROVAL_LIMITS, ChangeApprovalList } from "@waymark/shared/scans/approvals/schema.ts";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { useState } from "react";
import { callApi } from "../api.ts";
import { countOf } from "../count-of.ts";
import { FormDialog } from "../form-dialog.tsx";

const LISTED_MAX = 5;

/** Approves changes of a run, so that they pass the gates of later runs until they are current. */
export function ApproveDialog(props: {
  serviceId: string;
  scanRunId: string;
  /** True if the run is promoted: its changes are current, or were. */
  isPromoted: boolean;
  verdicts: readonly Verdict[];
  onClose: () => void;
}) {
  const { serviceId, scanRunId, isPromoted, verdicts, onClose } = props;
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState("");
  const approve = useApprove({ serviceId, scanRunId, onApproved: onClose });
  const all = [...new Set(verdicts.map(({ fingerprint }) => fingerprint))];
  const fingerprints = all.slice(0, APPROVAL_LIMITS.fingerprintsMax);
  const left = all.length - fingerprints.length;
  const more = fingerprints.length - LISTED_MAX;
  return (
    <FormDialog
      title={`Approve ${countOf(fingerprints.length, "changes")}`}
      size="lg"
      submitLabel="Approve"
      request={approve}
      failureTitle="Nothing was approved"
      isDisabled={reason.trim() === ""}
      onSubmit={() => approve.mutate({ fingerprints, reason, until: until === "" ? null : until })}
      onClose={onClose}
    >
      <Text size="sm">
        {isPromoted
          ? "The changes are current already, so the approval is for this run alone. If they are made again, they need another one."
          : "An approved change passes the gates of every later run of this service, until it is current. If it is made again after that, it needs another approval."}
        {left > 0 && ` The other ${countOf(left, "changes")} can be approved after these.`}
      </Text>
      <List size="sm">
        {verdicts.slice(0, LISTED_MAX).map(({ fingerprint, message }) => (
          <List.Item key={fingerprint} className="breaks">
            {message}
          </List.Item>
        ))}
        {more > 0 && <List.Item>and {more} more</List.Item>}
      </List>
      <Textarea
        label="Reason"
        description="Everybody who may read the service's endpoints sees it"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={APPROVAL_LIMITS.reasonMax}
        autosize
        minRows={2}
        required
        data-autofocus
      />
      <TextInput
        type="date"
        label="Until"
        description="The last day on which the approval holds, in UTC. Empty: until the change is current"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
        w={220}
      />
    </FormDialog>
  );
}

function useApprove(options: { serviceId: string; scanRunId: string; onApproved: () => void }) {
  const { serviceId, scanRunId, onApproved } = options;
  const client = useQueryClient();
  return useMutation({
    mutationFn: (given: { fingerprints: string[]; reason: string; until: string | null }) =>
      callApi(
        createChangeApprovals,
        { params: { serviceId }, body: { ...given, scanRunId } },
        { read: ChangeApprovalList },
      ),
    onSuccess: async () => {
      await Promise.all(
        [
          ["scan-run", scanRunId, "changes"],
          ["service", serviceId, "changes"],
          ["service", serviceId, "approvals"],
          ["change-approvals"],
        ].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      onApproved();
    },
  });
}
