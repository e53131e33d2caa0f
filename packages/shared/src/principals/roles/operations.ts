import { z } from "zod";
import { text, Uuid } from "../../lib/schema.ts";
import { NoContent, operation } from "../../operations/operation.ts";
import * as addresses from "./addresses.ts";
import { GrantRoleRequest, Role, ROLE_LIMITS, RoleGrant, RoleList, SetRoleRequest } from "./schema.ts";

const tag = "roles";
const RoleParams = z.object({ roleName: text({ min: 1, max: ROLE_LIMITS.nameMax }) });

export const listRoles = operation({
  id: "listRoles",
  ...addresses.listRoles,
  summary: "List roles",
  description: "The built-in ones first, then the organization's own by name.",
  tag,
  access: { needs: ["principals:read"] },
  responses: { 200: RoleList },
});

export const setRole = operation({
  id: "setRole",
  ...addresses.setRole,
  summary: "Create a role, or replace its permissions",
  description:
    "What it changes holds for every user with the role from the next request on. The calling key needs all permissions that the role had and gets.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["principals:manage"] },
  params: RoleParams,
  body: SetRoleRequest,
  responses: { 200: Role },
  errors: [409],
});

export const deleteRole = operation({
  id: "deleteRole",
  ...addresses.deleteRole,
  summary: "Delete a role that nobody has",
  tag,
  access: { needs: ["principals:manage"] },
  params: RoleParams,
  responses: { 204: NoContent },
  errors: [409],
});

export const grantRole = operation({
  id: "grantRole",
  ...addresses.grantRole,
  summary: "Grant a role to a user",
  description:
    "For everything, or for services by their names. The calling key needs all permissions that this grants.",
  tag,
  needsRecentSignIn: true,
  access: { needs: ["principals:manage"] },
  params: z.object({ principalId: Uuid }),
  body: GrantRoleRequest,
  responses: { 201: RoleGrant },
  errors: [409],
});

export const revokeRole = operation({
  id: "revokeRole",
  ...addresses.revokeRole,
  summary: "Take a role from a user",
  description:
    "It ends with the next request. The calling key needs all permissions that this takes. The last active user who may do everything keeps that.",
  tag,
  access: { needs: ["principals:manage"] },
  params: z.object({ principalId: Uuid, roleGrantId: Uuid }),
  responses: { 204: NoContent },
  errors: [409],
});
