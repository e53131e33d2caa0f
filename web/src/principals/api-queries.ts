import { getPrincipal } from "@waymark/shared/principals/addresses.ts";
import { listInvitations } from "@waymark/shared/principals/invitations/addresses.ts";
import { listRoles } from "@waymark/shared/principals/roles/addresses.ts";
import * as teams from "@waymark/shared/principals/teams/addresses.ts";
import { apiQuery } from "../lib/api-query.ts";

export const principalQuery = (principalId: string) =>
  apiQuery(["principals", "one", principalId], getPrincipal, { params: { principalId } });

export const ROLES = apiQuery(["principals", "roles"], listRoles, {});

export const INVITATIONS = apiQuery(["principals", "invitations"], listInvitations, {});

export const TEAMS = apiQuery(["principals", "teams"], teams.listTeams, {});
