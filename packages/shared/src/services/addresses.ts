// Method and path of each operation: all that a client needs of it at run time.
export const listServiceChanges = { method: "GET", path: "/api/services/:serviceId/changes" } as const;
export const getOverview = { method: "GET", path: "/api/overview" } as const;
export const listPullRequests = { method: "GET", path: "/api/pull-requests" } as const;
export const listServices = { method: "GET", path: "/api/services" } as const;
export const getService = { method: "GET", path: "/api/services/:serviceId" } as const;
export const updateService = { method: "PATCH", path: "/api/services/:serviceId" } as const;
export const deleteService = { method: "DELETE", path: "/api/services/:serviceId" } as const;
export const getCurrentScanRun = {
  method: "GET",
  path: "/api/services/:serviceId/current-scan-run",
} as const;
export const listServiceScanRuns = { method: "GET", path: "/api/services/:serviceId/scan-runs" } as const;
export const listServiceEndpoints = { method: "GET", path: "/api/services/:serviceId/endpoints" } as const;
