import { randomUUID } from "node:crypto";
import {
  get,
  ofOrganization,
  ofVisibleServices,
  post,
  type RouteExample,
  type RouteRequest,
} from "./route-example.ts";
import type { RouteWorld } from "./world.ts";

const IDENTITY_PROVIDER = { displayName: "ID", clientId: "waymark", emailDomains: ["example.com"] };

/** Examples of the operations of users, service accounts, roles, teams, invitations and identity providers. */
export const PRINCIPAL_EXAMPLES: Readonly<Record<string, RouteExample>> = {
  listPrincipals: ofOrganization(() => get("/api/principals")),
  createServiceAccount: ofOrganization(
    () => post("/api/principals", { type: "service_account", displayName: "Deployments" }),
    201,
  ),
  getPrincipal: ofPrincipal((principal) => get(principal)),
  renamePrincipal: ofPrincipal((principal) => ({
    method: "PATCH",
    path: principal,
    body: { displayName: randomUUID() },
  })),
  disablePrincipal: ofPrincipal((principal) => post(`${principal}/disable`)),
  enablePrincipal: ofPrincipal((principal) => post(`${principal}/enable`)),
  listInvitations: ofOrganization(() => get("/api/invitations")),
  createInvitation: {
    request: async (world) =>
      post("/api/invitations", {
        email: `${randomUUID()}@example.com`,
        roles: [{ role: await world.anotherRole() }],
      }),
    success: 201,
    stranger: "not_found",
  },
  deleteInvitation: {
    request: async (world) => ({
      method: "DELETE",
      path: `/api/invitations/${await world.anotherInvitationId()}`,
    }),
    success: 204,
    stranger: "not_found",
  },
  listIdentityProviders: ofOrganization(() => get("/api/identity-providers")),
  createIdentityProvider: {
    request: () => post("/api/identity-providers", { issuer: "https://127.0.0.1:1", ...IDENTITY_PROVIDER }),
    success: 422,
    stranger: "its own",
  },
  updateIdentityProvider: {
    request: async (world) => ({
      method: "PUT",
      path: `/api/identity-providers/${await world.anotherIdentityProviderId()}`,
      body: IDENTITY_PROVIDER,
    }),
    success: 200,
    stranger: "not_found",
  },
  deleteIdentityProvider: {
    request: async (world) => ({
      method: "DELETE",
      path: `/api/identity-providers/${await world.anotherIdentityProviderId()}`,
    }),
    success: 204,
    stranger: "not_found",
  },
  listRoles: ofOrganization(() => get("/api/roles")),
  setRole: ofOrganization(() => ({
    method: "PUT",
    path: `/api/roles/r-${randomUUID()}`,
    body: { permissions: ["principals:manage"] },
  })),
  deleteRole: {
    request: async (world) => ({ method: "DELETE", path: `/api/roles/${await world.anotherRole()}` }),
    success: 204,
    stranger: "not_found",
  },
  grantRole: {
    request: async (world) =>
      post(`/api/principals/${await world.anotherUserId()}/role-grants`, { role: await world.anotherRole() }),
    success: 201,
    stranger: "not_found",
  },
  revokeRole: {
    request: async (world) => {
      const principalId = await world.anotherUserId();
      const grantId = await world.roleGrantOf(principalId);
      return { method: "DELETE", path: `/api/principals/${principalId}/role-grants/${grantId}` };
    },
    success: 204,
    stranger: "not_found",
  },
  listTeams: ofVisibleServices("/api/teams"),
  createTeam: ofOrganization(
    () => post("/api/teams", { slug: `t-${randomUUID()}`, displayName: "Payments" }),
    201,
  ),
  // Neither a team nor a view has the id: whose a view is depends on the user of the key.
  listSavedViews: ofNobody(() => get(`/api/saved-views?teamId=${randomUUID()}`)),
  createSavedView: ofNobody(() =>
    post("/api/saved-views", { name: "Mine", page: "/services", query: "q=a", teamId: randomUUID() }),
  ),
  updateSavedView: ofNobody(() => ({
    method: "PATCH",
    path: `/api/saved-views/${randomUUID()}`,
    headers: { "if-match": '"1"' },
    body: { name: "Yours" },
  })),
  deleteSavedView: ofNobody(() => ({ method: "DELETE", path: `/api/saved-views/${randomUUID()}` })),
  getTeam: ofTeam((team) => get(team)),
  updateTeam: ofTeam((team) => ({ method: "PATCH", path: team, body: { displayName: randomUUID() } })),
  deleteTeam: ofTeam((team) => ({ method: "DELETE", path: team }), 204),
  listTeamMembers: ofTeam((team) => get(`${team}/members`)),
  addTeamMember: ofTeam(async (team, world) => ({
    method: "PUT",
    path: `${team}/members/${await world.anotherUserId()}`,
  })),
  removeTeamMember: ofTeam(async (team, world) => {
    const principalId = await world.memberOf(team.slice("/api/teams/".length));
    return { method: "DELETE", path: `${team}/members/${principalId}` };
  }, 204),
  listTeamRoleGrants: ofTeam((team) => get(`${team}/role-grants`)),
  grantTeamRole: ofTeam(
    async (team, world) => post(`${team}/role-grants`, { role: await world.anotherRole() }),
    201,
  ),
  revokeTeamRole: ofTeam(async (team, world) => {
    const grantId = await world.teamRoleGrantOf(team.slice("/api/teams/".length));
    return { method: "DELETE", path: `${team}/role-grants/${grantId}` };
  }, 204),
};

function ofPrincipal(request: (principal: string) => RouteRequest): RouteExample {
  return {
    request: async (world) => request(`/api/principals/${await world.anotherPrincipalId()}`),
    success: 200,
    stranger: "not_found",
  };
}

function ofTeam(
  request: (team: string, world: RouteWorld) => RouteRequest | Promise<RouteRequest>,
  success: 200 | 201 | 204 = 200,
): RouteExample {
  return {
    request: async (world) => request(`/api/teams/${await world.anotherTeamId()}`, world),
    success,
    stranger: "not_found",
  };
}

function ofNobody(request: () => RouteRequest): RouteExample {
  return { request, success: 404, stranger: "not_found" };
}
