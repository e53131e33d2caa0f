// Method and path of each operation: all that a client needs of it at run time.
export const listFindingAssignments = { method: "GET", path: "/api/finding-assignments" } as const;
export const assignFinding = { method: "PUT", path: "/api/finding-assignments" } as const;
export const assignFindings = { method: "POST", path: "/api/finding-assignment-batches" } as const;
export const unassignFinding = { method: "DELETE", path: "/api/finding-assignments" } as const;
