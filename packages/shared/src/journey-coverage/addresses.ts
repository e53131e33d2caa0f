// Method and path of each operation: all that a client needs of it at run time.
export const listServiceJourneys = { method: "GET", path: "/api/services/:serviceId/journeys" } as const;
export const listBrokenJourneys = {
  method: "GET",
  path: "/api/scan-runs/:scanRunId/broken-journeys",
} as const;
export const getJourneyCoverage = { method: "GET", path: "/api/journey-coverage" } as const;
