// Method and path of each operation: all that a client needs of it at run time.
const path = "/api/scan-runs/:scanRunId/comments";
const pathOfOne = "/api/scan-runs/:scanRunId/comments/:commentId";
export const listScanRunComments = { method: "GET", path } as const;
export const createScanRunComment = { method: "POST", path } as const;
export const updateScanRunComment = { method: "PATCH", path: pathOfOne } as const;
export const deleteScanRunComment = { method: "DELETE", path: pathOfOne } as const;
