// Method and path of each operation: all that a client needs of it at run time.
export const listTrustPolicies = { method: "GET", path: "/api/trust-policies" } as const;
export const createTrustPolicy = { method: "POST", path: "/api/trust-policies" } as const;
export const getTrustPolicy = { method: "GET", path: "/api/trust-policies/:trustPolicyId" } as const;
export const replaceTrustPolicy = { method: "PUT", path: "/api/trust-policies/:trustPolicyId" } as const;
export const deleteTrustPolicy = { method: "DELETE", path: "/api/trust-policies/:trustPolicyId" } as const;
export const exchangeToken = { method: "POST", path: "/api/token-exchange" } as const;
