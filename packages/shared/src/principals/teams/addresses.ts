// Method and path of each operation: all that a client needs of it at run time.
export const listTeams = { method: "GET", path: "/api/teams" } as const;
export const createTeam = { method: "POST", path: "/api/teams" } as const;
export const getTeam = { method: "GET", path: "/api/teams/:teamId" } as const;
export const updateTeam = { method: "PATCH", path: "/api/teams/:teamId" } as const;
export const deleteTeam = { method: "DELETE", path: "/api/teams/:teamId" } as const;
export const listTeamMembers = { method: "GET", path: "/api/teams/:teamId/members" } as const;
export const addTeamMember = { method: "PUT", path: "/api/teams/:teamId/members/:principalId" } as const;
export const removeTeamMember = {
  method: "DELETE",
  path: "/api/teams/:teamId/members/:principalId",
} as const;
export const listTeamRoleGrants = { method: "GET", path: "/api/teams/:teamId/role-grants" } as const;
export const grantTeamRole = { method: "POST", path: "/api/teams/:teamId/role-grants" } as const;
export const revokeTeamRole = {
  method: "DELETE",
  path: "/api/teams/:teamId/role-grants/:roleGrantId",
} as const;
