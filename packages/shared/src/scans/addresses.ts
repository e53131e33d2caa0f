// Method and path of each operation: all that a client needs of it at run time.
export const getScanRunChanges = { method: "GET", path: "/api/scan-runs/:scanRunId/changes" } as const;
export const getScanRunFinding = {
  method: "GET",
  path: "/api/scan-runs/:scanRunId/findings/:index",
} as const;
export const ingestScan = { method: "POST", path: "/api/scans/ingest" } as const;
export const promoteScanRun = { method: "POST", path: "/api/scan-runs/:scanRunId/promote" } as const;
export const undoPromotion = { method: "DELETE", path: "/api/scan-runs/:scanRunId/promotion" } as const;
export const getScanRun = { method: "GET", path: "/api/scan-runs/:scanRunId" } as const;
export const listScanRunEndpoints = { method: "GET", path: "/api/scan-runs/:scanRunId/endpoints" } as const;
export const listScanRunFindings = { method: "GET", path: "/api/scan-runs/:scanRunId/findings" } as const;
