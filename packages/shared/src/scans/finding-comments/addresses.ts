// Method and path of each operation: all that a client needs of it at run time.
export const listFindingComments = { method: "GET", path: "/api/finding-comments" } as const;
export const createFindingComment = { method: "POST", path: "/api/finding-comments" } as const;
export const deleteFindingComment = { method: "DELETE", path: "/api/finding-comments/:commentId" } as const;
