import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { useState } from "react";
import { countOf } from "../../lib/count-of.ts";
import { FormDialog } from "../../lib/form-dialog.tsx";
import { isUser, NOBODY } from "../../lib/permissions.ts";
import { Select } from "../../lib/select.tsx";
import { useAssigneeChoices } from "../../lib/use-assignee-choices.ts";
import { useSession } from "../../lib/use-session.ts";
import type { useBatch } from "./use-batch.ts";

/** Assigns all selected findings to a person, a team or nobody. */
export function AssignDialog(props: {
  rows: readonly CurrentFinding[];
  request: ReturnType<typeof useBatch>["assign"];
  onClose: () => void;
}) {
  const { rows, request, onClose } = props;
  const { data } = useSession();
  const session = data ?? NOBODY;
  const { people, teams, assigneeOf } = useAssigneeChoices(true);
  const self = isUser(session) ? (session.principal?.id ?? null) : null;
  const [chosen, setChosen] = useState(self === null ? "" : ME);
  const choices = [
    ...(self === null ? [] : [{ value: ME, label: "me" }]),
    { value: NONE, label: "nobody" },
    ...teams,
    ...people,
  ];
  const assignee = chosen === NONE ? null : assigneeOf(chosen === ME ? (self ?? "") : chosen);
  const name = choices.find(({ value }) => value === chosen)?.label ?? "";
  return (
    <FormDialog
      title={`Assign ${countOf(rows.length, "findings")}`}
      submitLabel="Assign"
      request={request}
      failureTitle="Nothing was assigned"
      isDisabled={chosen === ""}
      onSubmit={() => request.mutate({ rows, assignee, name })}
      onClose={onClose}
    >
      <Select
        label="Assign to"
        placeholder="A person or a team"
        data={choices}
        value={chosen === "" ? null : chosen}
        onChange={(value) => setChosen(value ?? "")}
        searchable
        limit={50}
        nothingFoundMessage="Nobody has this name."
        // The dialog focuses it, and the list would cover the button.
        openOnFocus={false}
      />
    </FormDialog>
  );
}

// No slug of a team, and no id.
const ME = "me";
const NONE = "none";
