// Method and path of each operation: all that a client needs of it at run time.
export const listAuditEvents = { method: "GET", path: "/api/audit-events" } as const;
