import { NativeSelect, TextInput } from "@mantine/core";
import { DECISION_KINDS, DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { type ReactNode, useState } from "react";
import { useFocusOnMount } from "../../lib/use-focus-on-mount.ts";
import { DECISION_WORDS } from "./describe-decision.ts";
import { useLastReason } from "./use-decisions.ts";

/** Keeps the fields of a decision. The reason of the last decision is offered. */
export function useDecisionFields(offered: DecisionKind) {
  const [kind, setKind] = useState(offered);
  const last = useLastReason();
  const [reason, setReason] = useState(last.reason);
  const [until, setUntil] = useState("");
  return {
    values: { kind, reason, until: until === "" ? null : until },
    isIncomplete: reason.trim() === "",
    /** Offers the reason to the next decision. */
    keepReason: () => last.keep(reason),
    inputs: { kind, setKind, reason, setReason, until, setUntil },
  };
}

/** The fields of a decision. The reason is selected, so that typing replaces it. */
export function DecisionFields(props: { fields: ReturnType<typeof useDecisionFields>; target?: ReactNode }) {
  const { kind, setKind, reason, setReason, until, setUntil } = props.fields.inputs;
  const first = useFocusOnMount<HTMLInputElement>();
  return (
    <>
      <TextInput
        label="Reason"
        description="Everybody who may read the findings sees it. A finding that becomes more severe is open again"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        maxLength={DECISION_LIMITS.reasonMax}
        required
        ref={first}
        data-autofocus
      />
      <NativeSelect
        label="Decision"
        data={DECISION_KINDS.map((value) => ({ value, label: DECISION_WORDS[value] }))}
        value={kind}
        onChange={(event) => setKind(DecisionKind.parse(event.currentTarget.value))}
      />
      {props.target}
      <TextInput
        type="date"
        label="Until"
        description="The last day on which it holds, in UTC. Empty: as long as the organization allows"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
        w={260}
      />
    </>
  );
}
