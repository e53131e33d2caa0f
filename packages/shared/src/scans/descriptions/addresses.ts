// Method and path of each operation: all that a client needs of it at run time.
export const putScanDescription = { method: "PUT", path: "/api/scan-runs/:scanRunId/description" } as const;
export const getScanDescription = { method: "GET", path: "/api/scan-runs/:scanRunId/description" } as const;
