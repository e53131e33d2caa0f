import { useQuery } from "@tanstack/react-query";
import * as addresses from "@waymark/shared/principals/teams/addresses.ts";
import { type GrantRoleRequest, RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import {
  Team,
  TeamMember,
  TeamRoleGrantList,
  type UpdateTeamRequest,
} from "@waymark/shared/principals/teams/schema.ts";
import { callApi } from "../lib/api.ts";
import { readList, readQuery } from "../lib/read-query.ts";
import { useMay } from "../lib/use-session.ts";
import { teamMembersQuery, teamQuery, teamRolesQuery } from "./api-queries.ts";
import { usePeopleChange } from "./use-people.ts";

export function useTeam(teamId: string) {
  return useQuery(readQuery(teamQuery(teamId), Team));
}

export function useTeamMembers(teamId: string) {
  return useQuery(readList(teamMembersQuery(teamId), { field: "members", item: TeamMember }));
}

/** The roles of a team. Disabled without `principals:read`. */
export function useTeamRoles(teamId: string) {
  return useQuery({
    ...readQuery(teamRolesQuery(teamId), TeamRoleGrantList),
    select: ({ roleGrants }) => roleGrants,
    enabled: useMay("principals:read"),
  });
}

export function useCreateTeam() {
  return usePeopleChange((body: { slug: string; displayName: string }) =>
    callApi(addresses.createTeam, { body }, { read: Team }),
  );
}

export function useUpdateTeam(teamId: string) {
  return usePeopleChange((body: UpdateTeamRequest) =>
    callApi(addresses.updateTeam, { params: { teamId }, body }, { read: Team }),
  );
}

export function useDeleteTeam(teamId: string) {
  return usePeopleChange<void, void>(() => callApi(addresses.deleteTeam, { params: { teamId } }));
}

export function useAddMember(teamId: string) {
  return usePeopleChange((principalId: string) =>
    callApi(addresses.addTeamMember, { params: { teamId, principalId }, body: {} }, { read: TeamMember }),
  );
}

export function useRemoveMember(teamId: string) {
  return usePeopleChange((principalId: string) =>
    callApi(addresses.removeTeamMember, { params: { teamId, principalId } }),
  );
}

export function useGrantTeamRole(teamId: string) {
  return usePeopleChange((body: GrantRoleRequest) =>
    callApi(addresses.grantTeamRole, { params: { teamId }, body }, { read: RoleGrant }),
  );
}

export function useTakeTeamRole(teamId: string) {
  return usePeopleChange((roleGrantId: string) =>
    callApi(addresses.revokeTeamRole, { params: { teamId, roleGrantId } }),
  );
}
