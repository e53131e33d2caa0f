import { Text } from "@mantine/core";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { FormDialog } from "../../lib/form-dialog.tsx";
import { DecisionFields, useDecisionFields } from "../decisions/decision-fields.tsx";
import type { useBatch } from "./use-batch.ts";

/** Makes one decision about all selected findings. */
export function DecideDialog(props: {
  rows: readonly CurrentFinding[];
  kind: DecisionKind;
  request: ReturnType<typeof useBatch>["decide"];
  onClose: () => void;
}) {
  const { rows, request, onClose } = props;
  const fields = useDecisionFields(props.kind);
  const decided = rows.filter(({ decision }) => decision?.target === "finding").length;
  return (
    <FormDialog
      title={`Decide about ${countOf(rows.length, "findings")}`}
      submitLabel="Decide"
      request={request}
      failureTitle="Nothing was decided"
      isDisabled={fields.isIncomplete}
      onSubmit={() => request.mutate({ rows, ...fields.values }, { onSuccess: fields.keepReason })}
      onClose={onClose}
    >
      <Text size="sm">
        Each gets a decision of its own, up to the severity that it has now
        {decided === 0
          ? "."
          : `; ${decided} of them ${decided === 1 ? "has" : "have"} one, which this replaces.`}
      </Text>
      <DecisionFields fields={fields} />
    </FormDialog>
  );
}
