// Method and path of each operation: all that a client needs of it at run time.
const path = "/api/journey-runs/:runId/links";
export const listJourneyRunLinks = { method: "GET", path } as const;
export const createJourneyRunLink = { method: "POST", path } as const;
export const deleteJourneyRunLink = {
  method: "DELETE",
  path: "/api/journey-runs/:runId/links/:linkId",
} as const;
export const openJourneyRunLink = { method: "POST", path: "/api/shared-journey-run" } as const;
