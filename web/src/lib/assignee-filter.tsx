import { AssigneeSelector } from "@waymark/shared/scans/finding-assignments/schema.ts";
import { useState } from "react";
import { ChoiceFilter } from "./filters.tsx";
import { isUser, NOBODY } from "./permissions.ts";
import { useAssigneeChoices } from "./use-assignee-choices.ts";
import { useSession } from "./use-session.ts";
import { useUrlState } from "./use-url-state.ts";
import { withChosen } from "./with-chosen.ts";

/** Returns the assignee that the URL filters findings by: `me`, `none`, a user's id or a team's slug; empty for all. */
export function useAssigneeFilter(): string {
  const [assignee] = useUrlState("assignee");
  return AssigneeSelector.safeParse(assignee).success ? assignee : "";
}

/** Filters findings by whom they are assigned to. People and teams are loaded when the list is opened. */
export function AssigneeFilter() {
  const [, setAssignee] = useUrlState("assignee");
  const assignee = useAssigneeFilter();
  const [isOpened, setOpened] = useState(false);
  const { data: session } = useSession();
  const { people, teams } = useAssigneeChoices(isOpened || !["", "me", "none"].includes(assignee));
  const values = [
    ...(isUser(session ?? NOBODY) || assignee === "me" ? [{ value: "me", label: "Me or my teams" }] : []),
    { value: "none", label: "Nobody" },
    ...teams,
    ...people,
  ];
  return (
    <ChoiceFilter
      label="Assigned to"
      value={assignee}
      values={withChosen(values, assignee)}
      onChange={setAssignee}
      onOpen={() => setOpened(true)}
    />
  );
}
