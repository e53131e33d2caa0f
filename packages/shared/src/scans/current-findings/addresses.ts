// Method and path of each operation: all that a client needs of it at run time.
export const listFindings = { method: "GET", path: "/api/findings" } as const;
export const summarizeFindings = { method: "GET", path: "/api/findings/summary" } as const;
export const exportFindings = { method: "GET", path: "/api/findings/export" } as const;
