import { change, type DecidedRequest, get, needs } from "./requests-of-services.ts";

/** Requests about teams that need a permission for everything. No team has the id. */
export function requestsOfTeams(none: string): DecidedRequest[] {
  const team = `/api/teams/${none}`;
  const managesTeams = needs(["teams:manage", {}]);
  const managesPrincipals = needs(["principals:manage", {}]);
  const readsEveryService = needs(["services:read", { listOf: ["service"] }]);
  return [
    get("getTeam", team, readsEveryService),
    get("listTeamMembers", `${team}/members`, readsEveryService),
    change("createTeam", ["POST", "/api/teams"], managesTeams, {
      isDestructive: true,
      body: { slug: "decided", displayName: "Decided" },
    }),
    change("updateTeam", ["PATCH", team], managesTeams, { body: { displayName: "x" } }),
    change("deleteTeam", ["DELETE", team], managesTeams),
    change("addTeamMember", ["PUT", `${team}/members/${none}`], managesTeams),
    change("removeTeamMember", ["DELETE", `${team}/members/${none}`], managesTeams),
    get("listTeamRoleGrants", `${team}/role-grants`, needs(["principals:read", {}])),
    change("grantTeamRole", ["POST", `${team}/role-grants`], managesPrincipals, { body: { role: "viewer" } }),
    change("revokeTeamRole", ["DELETE", `${team}/role-grants/${none}`], managesPrincipals),
  ];
}
