import { useQuery } from "@tanstack/react-query";
import { TeamList } from "@waymark/shared/principals/teams/schema.ts";
import { readQuery } from "../lib/read-query.ts";
import { useMay } from "../lib/use-session.ts";
import { TEAMS } from "./api-queries.ts";

/** The teams that the session may see, by slug. Disabled without `services:read`. */
export function useTeams() {
  return useQuery({
    ...readQuery(TEAMS, TeamList),
    select: ({ teams }) => teams,
    enabled: useMay("services:read"),
  });
}
