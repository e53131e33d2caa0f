// Method and path of each operation: all that a client needs of it at run time.
export const bindJourney = { method: "PUT", path: "/api/journeys/:journeyId/binding" } as const;
export const unbindJourney = { method: "DELETE", path: "/api/journeys/:journeyId/binding" } as const;
export const restoreJourney = { method: "POST", path: "/api/journeys/:journeyId/restore" } as const;
export const archiveJourney = { method: "DELETE", path: "/api/journeys/:journeyId" } as const;
export const createJourneyChangeset = { method: "POST", path: "/api/journey-changesets" } as const;
export const getJourneyComposition = { method: "GET", path: "/api/journeys/:journeyId/composition" } as const;
export const checkJourney = { method: "POST", path: "/api/journeys/:journeyId/check" } as const;
export const listJourneys = { method: "GET", path: "/api/journeys" } as const;
export const getJourney = { method: "GET", path: "/api/journeys/:journeyId" } as const;
export const listJourneyVersions = { method: "GET", path: "/api/journeys/:journeyId/versions" } as const;
export const getJourneyVersion = {
  method: "GET",
  path: "/api/journeys/:journeyId/versions/:version",
} as const;
