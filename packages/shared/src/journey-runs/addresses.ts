// Method and path of each operation: all that a client needs of it at run time.
export const listJourneyRuns = { method: "GET", path: "/api/journey-runs" } as const;
export const getJourneyRun = { method: "GET", path: "/api/journey-runs/:runId" } as const;
export const getJourneyRunResult = { method: "GET", path: "/api/journey-runs/:runId/result" } as const;
export const getJourneyRunReport = {
  method: "GET",
  path: "/api/journey-runs/:runId/reports/:format",
} as const;
export const getJourneyStatistics = { method: "GET", path: "/api/journey-statistics" } as const;
export const startJourneyRun = { method: "POST", path: "/api/journey-runs" } as const;
export const rerunJourney = { method: "POST", path: "/api/journey-runs/:runId/rerun" } as const;
export const cancelJourneyRun = { method: "POST", path: "/api/journey-runs/:runId/cancel" } as const;
export const listJourneyRunSteps = { method: "GET", path: "/api/journey-runs/:runId/steps" } as const;
export const getJourneyRunStep = { method: "GET", path: "/api/journey-runs/:runId/steps/:seq" } as const;
export const uploadJourneyResult = { method: "POST", path: "/api/journey-results" } as const;
export const getJourneyArtifact = { method: "GET", path: "/api/journey-artifacts/:hash" } as const;
