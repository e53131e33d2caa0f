// Method and path of each operation: all that a client needs of it at run time.
export const getSeverityPolicy = { method: "GET", path: "/api/severity-policy" } as const;
export const replaceSeverityPolicy = { method: "PUT", path: "/api/severity-policy" } as const;
