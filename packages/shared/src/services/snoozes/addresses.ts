// Method and path of each operation: all that a client needs of it at run time.
export const snoozeItem = { method: "PUT", path: "/api/overview/snoozes/:kind/:subjectId" } as const;
export const unsnoozeItem = { method: "DELETE", path: "/api/overview/snoozes/:kind/:subjectId" } as const;
