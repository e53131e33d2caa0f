import { Button, Group, NativeSelect, Stack } from "@mantine/core";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { type FormEvent, useState } from "react";
import { RequestError } from "../../lib/request-error.tsx";
import { DecisionFields, useDecisionFields } from "./decision-fields.tsx";
import { useDecide } from "./use-decisions.ts";

const TARGETS = [
  { value: "finding", label: "this finding of this service" },
  { value: "rule", label: "every finding of this rule in this service" },
  { value: "everywhere", label: "every finding of this rule, in every service" },
];

/** Decides about a finding, or about its rule. */
export function DecideForm(props: {
  serviceId: string;
  finding: NormalizedFinding;
  /** The decision that is offered first. */
  kind: DecisionKind;
  onClose: () => void;
}) {
  const { serviceId, finding, onClose } = props;
  const [target, setTarget] = useState("finding");
  const fields = useDecisionFields(props.kind);
  const decide = useDecide();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { code, severity, method, path, message } = finding;
    decide.mutate(
      {
        ...fields.values,
        code,
        serviceId: target === "everywhere" ? null : serviceId,
        finding: target === "finding" ? { method, path, message } : null,
        maxSeverity: target === "finding" ? severity : null,
      },
      {
        onSuccess: () => {
          fields.keepReason();
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit} aria-label="Decide about this finding">
      <Stack gap="sm">
        <DecisionFields
          fields={fields}
          target={
            <NativeSelect
              label="For"
              data={TARGETS}
              value={target}
              onChange={(event) => setTarget(event.currentTarget.value)}
            />
          }
        />
        {decide.error !== null && <RequestError title="Nothing was decided" error={decide.error} />}
        <Group>
          <Button type="submit" loading={decide.isPending} disabled={fields.isIncomplete}>
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
