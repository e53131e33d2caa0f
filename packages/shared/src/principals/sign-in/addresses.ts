// Method and path of each operation: all that a client needs of it at run time.
export const listSignInOptions = { method: "GET", path: "/api/sign-in-options" } as const;
export const beginSignIn = { method: "POST", path: "/api/sign-ins" } as const;
export const completeSignIn = { method: "POST", path: "/api/sign-ins/callback" } as const;
export const logOutByProvider = {
  method: "POST",
  path: "/api/identity-providers/:identityProviderId/back-channel-logout",
} as const;
