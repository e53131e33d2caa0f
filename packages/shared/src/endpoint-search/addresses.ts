// Method and path of each operation: all that a client needs of it at run time.
export const searchEndpoints = { method: "GET", path: "/api/endpoints" } as const;
