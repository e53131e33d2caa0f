import { useMay } from "./use-session.ts";
import { usePrincipals } from "./use-principals.ts";
import { useTeams } from "./use-teams.ts";
import type { Choice } from "./with-chosen.ts";

/**
 * Returns to whom findings are assigned: active users by id, for sessions that may list people, and the teams that the session sees, by slug.
 *
 * @param isWanted false until something needs them
 */
export function useAssigneeChoices(isWanted: boolean): {
  people: Choice[];
  teams: Choice[];
  /** Returns what a choice stands for. */
  assigneeOf: (value: string) => { principalId: string } | { team: string };
} {
  const mayReadPeople = useMay("principals:read");
  const mayReadTeams = useMay("services:read");
  const { data: principals = [] } = usePrincipals({ enabled: isWanted && mayReadPeople });
  const { data } = useTeams(isWanted && mayReadTeams);
  const teams = (data?.teams ?? []).map(({ slug, displayName }) => ({
    value: slug,
    label: `${displayName} (team)`,
  }));
  return {
    people: principals
      .filter(({ type, disabledAt }) => type === "user" && disabledAt === null)
      .map(({ id, displayName, email }) => ({ value: id, label: `${displayName} (${email ?? ""})` })),
    teams,
    assigneeOf: (value) =>
      teams.some((team) => team.value === value) ? { team: value } : { principalId: value },
  };
}
