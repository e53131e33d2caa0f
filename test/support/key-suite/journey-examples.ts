import { randomUUID } from "node:crypto";
import { get, ofOrganization, post, type RouteExample, type RouteRequest } from "./route-example.ts";
import type { RouteWorld } from "./world.ts";

/** Examples of the operations on journeys, their runs and schedules, and environments, by their ids. */
export const JOURNEY_EXAMPLES: Readonly<Record<string, RouteExample>> = {
  createJourneyChangeset: ofOrganization(
    () =>
      post("/api/journey-changesets", {
        changes: [{ path: `${randomUUID()}.yaml`, text: "openapi: 3.1.0\n", baseVersion: null }],
      }),
    201,
  ),
  listJourneys: ofOrganization(() => get("/api/journeys")),
  getJourney: ofJourney(get),
  listJourneyVersions: ofJourney((journey) => get(`${journey}/versions`)),
  getJourneyVersion: ofJourney((journey) => get(`${journey}/versions/1`)),
  getJourneyComposition: ofJourney((journey) => get(`${journey}/composition`)),
  checkJourney: ofJourney((journey) => post(`${journey}/check`, {})),
  restoreJourney: ofJourney((journey) => post(`${journey}/restore`, { version: 1, baseVersion: 1 })),
  archiveJourney: {
    ...ofJourney((journey) => ({ method: "DELETE", path: journey })),
    request: async (world) => ({ method: "DELETE", path: `/api/journeys/${await world.anotherJourneyId()}` }),
    usesUp: true,
  },
  bindJourney: {
    request: (world) => ({
      method: "PUT",
      path: `/api/journeys/${world.descriptionId}/binding`,
      body: { serviceId: world.serviceId, pathPrefix: "/v1" },
    }),
    success: 200,
    stranger: "not_found",
  },
  unbindJourney: {
    ...ofJourney((journey) => ({ method: "DELETE", path: `${journey}/binding` })),
    success: 204,
  },
  getJourneyCoverage: {
    request: (world) =>
      get(`/api/journey-coverage?serviceId=${world.serviceId}&environmentId=${world.environmentId}`),
    success: 200,
    stranger: "not_found",
  },
  startJourneyRun: {
    ...ofOrganization((world) =>
      post("/api/journey-runs", { journeyId: world.journeyId, environmentId: world.environmentId }),
    ),
    success: 202,
    stranger: "not_found",
  },
  listJourneyRuns: ofOrganization(() => get("/api/journey-runs")),
  getJourneyStatistics: ofOrganization((world) =>
    get(`/api/journey-statistics?journeyId=${world.journeyId}`),
  ),
  getJourneyRun: ofJourneyRun((run) => get(run)),
  listJourneyRunLinks: ofJourneyRun((run) => get(`${run}/links`)),
  createJourneyRunLink: { ...ofJourneyRun((run) => post(`${run}/links`)), success: 201 },
  deleteJourneyRunLink: {
    request: async (world) => ({ method: "DELETE", path: await world.anotherRunLink() }),
    success: 204,
    stranger: "not_found",
  },
  listJourneyRunSteps: ofJourneyRun((run) => get(`${run}/steps`)),
  getJourneyRunStep: ofJourneyRun((run) => get(`${run}/steps/0`)),
  getJourneyRunResult: ofJourneyRun((run) => get(`${run}/result`)),
  getJourneyRunReport: ofJourneyRun((run) => get(`${run}/reports/ctrf`)),
  cancelJourneyRun: { ...ofJourneyRun((run) => post(`${run}/cancel`)), success: 202 },
  rerunJourney: { ...ofJourneyRun((run) => post(`${run}/rerun`)), success: 202 },
  uploadJourneyResult: {
    request: (world) =>
      post("/api/journey-results", { result: { ...world.abortedResult, runId: randomUUID() } }),
    success: 201,
    stranger: "artifact_unknown",
  },
  getJourneyArtifact: {
    ...ofJourneyRun(() => get("")),
    request: (world) => get(`/api/journey-artifacts/${world.artifact}`),
  },
  listJourneySchedules: ofOrganization(() => get("/api/journey-schedules")),
  createJourneySchedule: {
    ...ofOrganization((world) => post("/api/journey-schedules", scheduleOf(world))),
    success: 201,
    stranger: "not_found",
  },
  getJourneySchedule: ofSchedule((schedule) => get(schedule)),
  replaceJourneySchedule: ofSchedule((schedule, world) => ({
    method: "PUT",
    path: schedule,
    body: scheduleOf(world),
  })),
  deleteJourneySchedule: {
    ...ofSchedule(() => get("")),
    request: async (world) => ({
      method: "DELETE",
      path: `/api/journey-schedules/${await world.anotherScheduleId()}`,
    }),
    success: 204,
  },
  pauseJourneySchedule: ofSchedule((schedule) => post(`${schedule}/pause`)),
  resumeJourneySchedule: ofSchedule((schedule) => post(`${schedule}/resume`)),
  listJourneyScheduleTicks: ofSchedule((schedule) => get(`${schedule}/ticks`)),
  listEnvironments: {
    ...ofOrganization(() => get("/api/environments")),
  },
  createEnvironment: {
    ...ofOrganization(() => post("/api/environments", { name: randomUUID() }), 201),
  },
  getEnvironment: ofEnvironment((environment) => get(environment)),
  replaceEnvironment: ofEnvironment(async (environment, world) => ({
    method: "PUT",
    path: environment,
    headers: { "if-match": `"${await world.environmentRevision()}"` },
    body: { name: world.environmentName },
  })),
  deleteEnvironment: {
    ...ofEnvironment(() => get("")),
    request: async (world) => ({
      method: "DELETE",
      path: `/api/environments/${await world.anotherEnvironmentId()}`,
    }),
    success: 204,
    usesUp: true,
  },
  listEnvironmentSecrets: ofEnvironment((environment) => get(`${environment}/secrets`)),
  setEnvironmentSecret: ofEnvironment(
    (environment) => ({
      method: "PUT",
      path: `${environment}/secrets/TOKEN`,
      body: { value: randomUUID(), hosts: ["api.example.com"] },
    }),
    204,
  ),
  deleteEnvironmentSecret: ofEnvironment(
    async (environment, world) => ({
      method: "DELETE",
      path: `${environment}/secrets/${await world.anotherSecretName()}`,
    }),
    204,
  ),
  previewJourneyRelease: ofRelease((release) => get(release)),
  releaseJourney: ofRelease((release) => ({
    method: "PUT",
    path: release,
    body: { version: 1 },
  })),
  deleteJourneyRelease: ofEnvironment(
    async (environment, world) => ({
      method: "DELETE",
      path: `${environment}/releases/${await world.releasedJourneyId()}`,
    }),
    204,
  ),
};

function ofEnvironment(
  request: (environment: string, world: RouteWorld) => RouteRequest | Promise<RouteRequest>,
  success: 200 | 204 = 200,
): RouteExample {
  return {
    request: (world) => request(`/api/environments/${world.environmentId}`, world),
    success,
    stranger: "not_found",
  };
}

/** A release is of an environment and a journey: a scope that is limited to one of them grants nothing for the other. */
function ofRelease(request: (release: string) => RouteRequest): RouteExample {
  return {
    request: (world) => request(`/api/environments/${world.environmentId}/releases/${world.journeyId}`),
    success: 200,
    stranger: "not_found",
  };
}

function ofJourney(request: (journey: string) => RouteRequest): RouteExample {
  return {
    request: (world) => request(`/api/journeys/${world.journeyId}`),
    success: 200,
    stranger: "not_found",
  };
}

function ofJourneyRun(request: (run: string) => RouteRequest): RouteExample {
  return {
    request: (world) => request(`/api/journey-runs/${world.journeyRunId}`),
    success: 200,
    stranger: "not_found",
  };
}

function ofSchedule(request: (schedule: string, world: RouteWorld) => RouteRequest): RouteExample {
  return {
    request: (world) => request(`/api/journey-schedules/${world.scheduleId}`, world),
    success: 200,
    stranger: "not_found",
  };
}

function scheduleOf({ journeyId, environmentId }: RouteWorld) {
  return { name: randomUUID(), journeyId, environmentId, cron: "0 0 1 1 *" };
}
