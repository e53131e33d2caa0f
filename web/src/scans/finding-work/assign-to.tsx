import type { FindingAssignee } from "@waymark/shared/scans/finding-assignments/schema.ts";
import { Select } from "../../lib/select.tsx";
import { useAssigneeChoices } from "../../lib/use-assignee-choices.ts";

/** Chooses the user or the team to which a finding is assigned, by name. */
export function AssignTo(props: {
  assignee: FindingAssignee | undefined;
  /** Gets the id of a user, or the slug of a team. */
  onChoose: (to: { principalId: string } | { team: string }) => void;
}) {
  const { assignee, onChoose } = props;
  const { people, teams, assigneeOf } = useAssigneeChoices(true);
  const isOther = ({ value }: { value: string }) => value !== (assignee?.slug ?? assignee?.id);
  const choices = [...teams, ...people].filter(isOther);
  if (choices.length === 0) return null;
  return (
    <Select
      label="Assign to"
      placeholder="A person or a team"
      data={choices}
      value={null}
      onChange={(value) => value !== null && onChoose(assigneeOf(value))}
      searchable
      limit={50}
      nothingFoundMessage="Nobody has this name."
      maw={360}
    />
  );
}
