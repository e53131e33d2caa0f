// Method and path of each operation: all that a client needs of it at run time.
export const listIdentityProviders = { method: "GET", path: "/api/identity-providers" } as const;
export const createIdentityProvider = { method: "POST", path: "/api/identity-providers" } as const;
export const updateIdentityProvider = {
  method: "PUT",
  path: "/api/identity-providers/:identityProviderId",
} as const;
export const deleteIdentityProvider = {
  method: "DELETE",
  path: "/api/identity-providers/:identityProviderId",
} as const;
