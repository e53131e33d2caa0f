// Method and path of each operation: all that a client needs of it at run time.
export const createJourneySchedule = { method: "POST", path: "/api/journey-schedules" } as const;
export const replaceJourneySchedule = { method: "PUT", path: "/api/journey-schedules/:scheduleId" } as const;
export const deleteJourneySchedule = {
  method: "DELETE",
  path: "/api/journey-schedules/:scheduleId",
} as const;
export const pauseJourneySchedule = {
  method: "POST",
  path: "/api/journey-schedules/:scheduleId/pause",
} as const;
export const resumeJourneySchedule = {
  method: "POST",
  path: "/api/journey-schedules/:scheduleId/resume",
} as const;
export const listJourneySchedules = { method: "GET", path: "/api/journey-schedules" } as const;
export const getJourneySchedule = { method: "GET", path: "/api/journey-schedules/:scheduleId" } as const;
export const listJourneyScheduleTicks = {
  method: "GET",
  path: "/api/journey-schedules/:scheduleId/ticks",
} as const;
