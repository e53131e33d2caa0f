// Method and path of each operation: all that a client needs of it at run time.
export const getServiceBadge = { method: "GET", path: "/api/services/:serviceId/badge" } as const;
export const createServiceBadge = { method: "POST", path: "/api/services/:serviceId/badge" } as const;
export const deleteServiceBadge = { method: "DELETE", path: "/api/services/:serviceId/badge" } as const;
