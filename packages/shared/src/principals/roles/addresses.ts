// Method and path of each operation: all that a client needs of it at run time.
export const listRoles = { method: "GET", path: "/api/roles" } as const;
export const setRole = { method: "PUT", path: "/api/roles/:roleName" } as const;
export const deleteRole = { method: "DELETE", path: "/api/roles/:roleName" } as const;
export const grantRole = { method: "POST", path: "/api/principals/:principalId/role-grants" } as const;
export const revokeRole = {
  method: "DELETE",
  path: "/api/principals/:principalId/role-grants/:roleGrantId",
} as const;
