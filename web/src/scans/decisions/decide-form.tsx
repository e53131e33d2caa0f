import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { DECISION_KINDS, DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { type FormEvent, useState } from "react";
import { RequestError } from "../../lib/request-error.tsx";
import { useFocusOnMount } from "../../lib/use-focus-on-mount.ts";
import { DECISION_WORDS } from "./describe-decision.ts";
import { useDecide, useLastReason } from "./use-decisions.ts";

const TARGETS = [
  { value: "finding", label: "this finding of this service" },
  { value: "rule", label: "every finding of this rule in this service" },
  { value: "everywhere", label: "every finding of this rule, in every service" },
];

/** Decides about a finding, or about its rule. The reason of the last decision is offered, selected, so that typing replaces it. */
export function DecideForm(props: {
  serviceId: string;
  finding: NormalizedFinding;
  /** The decision that is offered first. */
  kind: DecisionKind;
  onClose: () => void;
}) {
  const { serviceId, finding, onClose } = props;
  const [kind, setKind] = useState(props.kind);
  const [target, setTarget] = useState("finding");
  const last = useLastReason();
  const [reason, setReason] = useState(last.reason);
  const [until, setUntil] = useState("");
  const decide = useDecide();
  const first = useFocusOnMount<HTMLInputElement>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { code, severity, method, path, message } = finding;
    decide.mutate(
      {
        kind,
        code,
        reason,
        serviceId: target === "everywhere" ? null : serviceId,
        finding: target === "finding" ? { method, path, message } : null,
        maxSeverity: target === "finding" ? severity : null,
        until: until === "" ? null : until,
      },
      {
        onSuccess: () => {
          last.keep(reason);
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit} aria-label="Decide about this finding">
      <Stack gap="sm">
        <TextInput
          label="Reason"
          description="Everybody who may read the findings sees it. A finding that becomes more severe is open again"
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          maxLength={DECISION_LIMITS.reasonMax}
          required
          ref={first}
        />
        <NativeSelect
          label="Decision"
          data={DECISION_KINDS.map((value) => ({ value, label: DECISION_WORDS[value] }))}
          value={kind}
          onChange={(event) => setKind(DecisionKind.parse(event.currentTarget.value))}
        />
        <NativeSelect
          label="For"
          data={TARGETS}
          value={target}
          onChange={(event) => setTarget(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="Until"
          description="The last day on which it holds, in UTC. Empty: as long as the organization allows"
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
          w={260}
        />
        {decide.error !== null && <RequestError title="Nothing was decided" error={decide.error} />}
        <Group>
          <Button type="submit" loading={decide.isPending} disabled={reason.trim() === ""}>
            Decide
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
