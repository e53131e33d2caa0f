// Method and path of each operation: all that a client needs of it at run time.
export const listFindingDecisions = { method: "GET", path: "/api/finding-decisions" } as const;
export const createFindingDecision = { method: "POST", path: "/api/finding-decisions" } as const;
export const createFindingDecisions = { method: "POST", path: "/api/finding-decision-batches" } as const;
export const deleteFindingDecisions = { method: "POST", path: "/api/finding-decision-revocations" } as const;
export const deleteFindingDecision = {
  method: "DELETE",
  path: "/api/finding-decisions/:decisionId",
} as const;
