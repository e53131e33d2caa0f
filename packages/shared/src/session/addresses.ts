// Method and path of each operation: all that a client needs of it at run time.
export const createSession = { method: "POST", path: "/api/session" } as const;
export const getSession = { method: "GET", path: "/api/session" } as const;
export const deleteSession = { method: "DELETE", path: "/api/session" } as const;
