// Method and path of each operation: all that a client needs of it at run time.
export const listPrincipals = { method: "GET", path: "/api/principals" } as const;
export const createServiceAccount = { method: "POST", path: "/api/principals" } as const;
export const getPrincipal = { method: "GET", path: "/api/principals/:principalId" } as const;
export const renamePrincipal = { method: "PATCH", path: "/api/principals/:principalId" } as const;
export const disablePrincipal = { method: "POST", path: "/api/principals/:principalId/disable" } as const;
export const enablePrincipal = { method: "POST", path: "/api/principals/:principalId/enable" } as const;
