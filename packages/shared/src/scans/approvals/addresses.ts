// Method and path of each operation: all that a client needs of it at run time.
export const createChangeApprovals = {
  method: "POST",
  path: "/api/services/:serviceId/change-approvals",
} as const;
export const listChangeApprovals = {
  method: "GET",
  path: "/api/services/:serviceId/change-approvals",
} as const;
export const listAllChangeApprovals = { method: "GET", path: "/api/change-approvals" } as const;
export const deleteChangeApproval = {
  method: "DELETE",
  path: "/api/services/:serviceId/change-approvals/:fingerprint",
} as const;
