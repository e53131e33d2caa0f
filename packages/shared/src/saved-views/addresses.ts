// Method and path of each operation: all that a client needs of it at run time.
export const listSavedViews = { method: "GET", path: "/api/saved-views" } as const;
export const createSavedView = { method: "POST", path: "/api/saved-views" } as const;
export const updateSavedView = { method: "PATCH", path: "/api/saved-views/:savedViewId" } as const;
export const deleteSavedView = { method: "DELETE", path: "/api/saved-views/:savedViewId" } as const;
