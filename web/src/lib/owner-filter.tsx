import { OwnerSelector } from "@waymark/shared/principals/team-names/schema.ts";
import { useState } from "react";
import { ChoiceFilter } from "./filters.tsx";
import { isUser, NOBODY } from "./permissions.ts";
import { useSession } from "./use-session.ts";
import { useTeams } from "./use-teams.ts";
import { useUrlState } from "./use-url-state.ts";
import { withChosen } from "./with-chosen.ts";

/** Returns the owner that the URL filters services by: `me`, `none` or a team's slug; empty for all. */
export function useOwnerFilter(): string {
  const [owner] = useUrlState("owner");
  return OwnerSelector.safeParse(owner).success ? owner : "";
}

/** Filters services by their owner: the session's teams, any team, or none. The teams are loaded when the list is opened. */
export function OwnerFilter() {
  const [, setOwner] = useUrlState("owner");
  const owner = useOwnerFilter();
  const [isOpened, setOpened] = useState(false);
  const { data: session } = useSession();
  const isTeam = owner !== "" && owner !== "me" && owner !== "none";
  const { data } = useTeams(isOpened || isTeam);
  const teams = data?.teams.map(({ slug, displayName }) => ({ value: slug, label: displayName })) ?? [];
  const values = [
    ...(isUser(session ?? NOBODY) || owner === "me" ? [{ value: "me", label: "Mine" }] : []),
    { value: "none", label: "No owner" },
    ...teams,
  ];
  return (
    <ChoiceFilter
      label="Owner"
      value={owner}
      values={withChosen(values, owner)}
      onChange={setOwner}
      onOpen={() => setOpened(true)}
    />
  );
}
