import { getPrincipal } from "@waymark/shared/principals/addresses.ts";
import { listInvitations } from "@waymark/shared/principals/invitations/addresses.ts";
import { listRoles } from "@waymark/shared/principals/roles/addresses.ts";
import * as teams from "@waymark/shared/principals/teams/addresses.ts";
import { apiQuery, PAGE_LIMIT } from "../lib/api-query.ts";

export const principalQuery = (principalId: string) =>
  apiQuery(["principals", "one", principalId], getPrincipal, { params: { principalId } });

export const ROLES = apiQuery(["principals", "roles"], listRoles, {});

export const INVITATIONS = apiQuery(["principals", "invitations"], listInvitations, {});

export const teamQuery = (teamId: string) =>
  apiQuery(["principals", "team", teamId], teams.getTeam, { params: { teamId } });

export const teamMembersQuery = (teamId: string) =>
  apiQuery(["principals", "team", teamId, "members"], teams.listTeamMembers, {
    params: { teamId },
    query: { limit: PAGE_LIMIT },
  });

export const teamRolesQuery = (teamId: string) =>
  apiQuery(["principals", "team", teamId, "roles"], teams.listTeamRoleGrants, { params: { teamId } });
