// Method and path of each operation: all that a client needs of it at run time.
export const putScanGates = { method: "PUT", path: "/api/scan-runs/:scanRunId/gates" } as const;
export const getScanGates = { method: "GET", path: "/api/scan-runs/:scanRunId/gates" } as const;
