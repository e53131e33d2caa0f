import { z } from "zod";
import { Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import { PageQuery } from "../../operations/page-query.ts";
import { GrantRoleRequest, RoleGrant } from "../roles/schema.ts";
import * as addresses from "./addresses.ts";
import {
  AddTeamMemberRequest,
  CreateTeamRequest,
  Team,
  TeamList,
  TeamMember,
  TeamMemberPage,
  TeamRoleGrantList,
  UpdateTeamRequest,
} from "./schema.ts";

const tag = "teams";
const params = z.object({ teamId: Uuid });
const MemberParams = z.object({ teamId: Uuid, principalId: Uuid });

export const listTeams = operation({
  id: "listTeams",
  ...addresses.listTeams,
  summary: "List teams",
  description:
    "By slug. A key that may read some services only sees the teams that own these, and those of its user.",
  tag,
  access: { needs: ["services:read"], within: ["service"], resourceType: "service", isFiltered: true },
  responses: { 200: TeamList },
});

export const createTeam = operation({
  id: "createTeam",
  ...addresses.createTeam,
  summary: "Create a team",
  tag,
  access: { needs: ["teams:manage"] },
  body: CreateTeamRequest,
  responses: { 201: Team },
  errors: [409],
});

export const getTeam = operation({
  id: "getTeam",
  ...addresses.getTeam,
  summary: "Read a team",
  tag,
  access: { needs: ["services:read"], resourceType: "service" },
  params,
  responses: { 200: Team },
});

export const updateTeam = operation({
  id: "updateTeam",
  ...addresses.updateTeam,
  summary: "Rename a team, or set its handles",
  description:
    "The groups of an identity provider name teams by slug, so the calling key needs every permission of the team's roles to change the slug.",
  tag,
  access: { needs: ["teams:manage"] },
  params,
  body: UpdateTeamRequest,
  responses: { 200: Team },
  errors: [409],
});

export const deleteTeam = operation({
  id: "deleteTeam",
  ...addresses.deleteTeam,
  summary: "Delete a team",
  description:
    "Its services have no owner then, and every role that it has, or that is for its services, ends. The calling key needs all permissions that " +
    "this takes.",
  tag,
  access: { needs: ["teams:manage"] },
  params,
  responses: { 204: NoContent },
  errors: [409],
});

export const listTeamMembers = operation({
  id: "listTeamMembers",
  ...addresses.listTeamMembers,
  summary: "List the members of a team",
  description: "By the id of the user. E-mail addresses need principals:read.",
  tag,
  access: { needs: ["services:read"], resourceType: "service" },
  params,
  query: PageQuery,
  responses: { 200: TeamMemberPage },
});

export const addTeamMember = operation({
  id: "addTeamMember",
  ...addresses.addTeamMember,
  summary: "Add a user to a team",
  description:
    "The user has the team's roles from the next request on, so the calling key needs all of their permissions. A member whom the identity " +
    "provider added stays then, whatever the provider says later. Idempotent.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["teams:manage"] },
  params: MemberParams,
  body: AddTeamMemberRequest,
  responses: { 200: TeamMember },
  errors: [409],
});

export const removeTeamMember = operation({
  id: "removeTeamMember",
  ...addresses.removeTeamMember,
  summary: "Remove a user from a team",
  description:
    "The team's roles end for the user with the next request. The calling key needs all of their permissions. The identity provider may add the " +
    "user again.",
  tag,
  access: { needs: ["teams:manage"] },
  params: MemberParams,
  responses: { 204: NoContent },
  errors: [409],
});

export const listTeamRoleGrants = operation({
  id: "listTeamRoleGrants",
  ...addresses.listTeamRoleGrants,
  summary: "List the roles of a team",
  tag,
  access: { needs: ["principals:read"] },
  params,
  responses: { 200: TeamRoleGrantList },
});

export const grantTeamRole = operation({
  id: "grantTeamRole",
  ...addresses.grantTeamRole,
  summary: "Grant a role to a team",
  description:
    "Every member has it: for everything, for services by their names, or for the services that a team owns. The calling key needs all " +
    "permissions that this grants.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["principals:manage"] },
  params,
  body: GrantRoleRequest,
  responses: { 201: RoleGrant },
  errors: [409],
});

export const revokeTeamRole = operation({
  id: "revokeTeamRole",
  ...addresses.revokeTeamRole,
  summary: "Take a role from a team",
  description:
    "It ends for every member with the next request. The calling key needs all permissions that this takes.",
  tag,
  access: { needs: ["principals:manage"] },
  params: z.object({ teamId: Uuid, roleGrantId: Uuid }),
  responses: { 204: NoContent },
  errors: [409],
});
