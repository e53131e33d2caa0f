// Method and path of each operation: all that a client needs of it at run time.
export const createApiKey = { method: "POST", path: "/api/api-keys" } as const;
export const listApiKeys = { method: "GET", path: "/api/api-keys" } as const;
export const getApiKey = { method: "GET", path: "/api/api-keys/:apiKeyId" } as const;
export const getOwnApiKey = { method: "GET", path: "/api/api-keys/self" } as const;
export const revokeApiKeys = { method: "POST", path: "/api/api-key-revocations" } as const;
export const revokeApiKey = { method: "POST", path: "/api/api-keys/:apiKeyId/revoke" } as const;
export const revokeOwnApiKey = { method: "POST", path: "/api/api-keys/self/revoke" } as const;
export const rotateApiKey = { method: "POST", path: "/api/api-keys/:apiKeyId/rotate" } as const;
export const disableApiKey = { method: "POST", path: "/api/api-keys/:apiKeyId/disable" } as const;
export const enableApiKey = { method: "POST", path: "/api/api-keys/:apiKeyId/enable" } as const;
