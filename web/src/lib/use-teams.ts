import { useQuery } from "@tanstack/react-query";
import { listTeams } from "@waymark/shared/principals/teams/addresses.ts";
import { TeamList } from "@waymark/shared/principals/teams/schema.ts";
import { apiQuery } from "./api-query.ts";
import { readQuery } from "./read-query.ts";

export const TEAMS = apiQuery(["teams"], listTeams, {});

/** Returns the teams that the session sees, by slug. @param isWanted false until something needs them */
export function useTeams(isWanted: boolean) {
  return useQuery({ ...readQuery(TEAMS, TeamList), enabled: isWanted, staleTime: 60_000 });
}
