// Method and path of each operation: all that a client needs of it at run time.
export const getLimits = { method: "GET", path: "/api/limits" } as const;
