// Method and path of each operation: all that a client needs of it at run time.
export const listEnvironments = { method: "GET", path: "/api/environments" } as const;
export const createEnvironment = { method: "POST", path: "/api/environments" } as const;
export const getEnvironment = { method: "GET", path: "/api/environments/:environmentId" } as const;
export const replaceEnvironment = { method: "PUT", path: "/api/environments/:environmentId" } as const;
export const deleteEnvironment = { method: "DELETE", path: "/api/environments/:environmentId" } as const;
export const listEnvironmentSecrets = {
  method: "GET",
  path: "/api/environments/:environmentId/secrets",
} as const;
export const setEnvironmentSecret = {
  method: "PUT",
  path: "/api/environments/:environmentId/secrets/:name",
} as const;
export const deleteEnvironmentSecret = {
  method: "DELETE",
  path: "/api/environments/:environmentId/secrets/:name",
} as const;
export const previewJourneyRelease = {
  method: "GET",
  path: "/api/environments/:environmentId/releases/:journeyId",
} as const;
export const releaseJourney = {
  method: "PUT",
  path: "/api/environments/:environmentId/releases/:journeyId",
} as const;
export const deleteJourneyRelease = {
  method: "DELETE",
  path: "/api/environments/:environmentId/releases/:journeyId",
} as const;
