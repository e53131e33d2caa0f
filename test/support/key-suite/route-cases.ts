import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { randomUUID } from "node:crypto";
import { scanPayload } from "../scan-payload.ts";
import type { RouteWorld } from "./world.ts";

export interface RouteRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** What the key suite needs to try every kind of key on a route. */
export interface RouteCase {
  /** The required permissions; none means that every valid key is accepted. */
  needs: readonly Permission[];
  /** Creates a request that succeeds with these permissions. Called for each attempt, so that it may use something up. */
  request: (world: RouteWorld) => RouteRequest | Promise<RouteRequest>;
  /** 409 where the world has nothing to do it to. */
  success: 200 | 201 | 202 | 204 | 409;
  /**
   * The response for another organization's key with full access: an error, or a response about its own organization, without
   * any data of this one.
   */
  stranger: "not_found" | "organization_mismatch" | "artifact_unknown" | "its own";
  /** Whether a scope limited to the world's service is enough. If not, the request shows no service. */
  ofService: boolean;
  /** The type of the listed or created resource, which a scope's `resourceType` may name. */
  resourceType?: "service" | "environment" | "api_key";
  /** True for a list that has what the key may read, and is empty for a key that is limited to services that don't exist. */
  isFiltered?: boolean;
  /** Whether a scope bound to the environment that the request is about is enough. */
  ofEnvironment?: boolean;
  /** Whether a scope bound to the journey that the request is about is enough. */
  ofJourney?: boolean;
}

const get = (path: string): RouteRequest => ({ method: "GET", path });
const post = (path: string, body: unknown = {}): RouteRequest => ({ method: "POST", path, body });
const inOrganization = (world: RouteWorld) => `organizationId=${world.organizationId}`;

/** Every authenticated route by its operation id. The suite fails if a route is missing here. */
export const ROUTE_CASES: Readonly<Record<string, RouteCase>> = {
  ingestScan: {
    needs: ["scans:create", "services:update", "endpoints:write"],
    request: (world) =>
      post("/api/scans/ingest", scanPayload({ serviceName: world.serviceName, seed: randomUUID() })),
    success: 201,
    stranger: "its own",
    ofService: true,
  },
  getScanRun: ofRun("services:read", (run) => get(run)),
  listScanRunEndpoints: ofRun("endpoints:read", (run) => get(`${run}/endpoints`)),
  listScanRunFindings: ofRun("endpoints:read", (run) => get(`${run}/findings`)),
  getScanRunFinding: ofRun("endpoints:read", (run) => get(`${run}/findings/0`)),
  getScanRunChanges: ofRun("endpoints:read", (run) => get(`${run}/changes`)),
  promoteScanRun: ofRun("services:update", (run) => post(`${run}/promote`)),
  undoPromotion: {
    ...ofRun("services:update", (run) => ({ method: "DELETE", path: `${run}/promotion` })),
    success: 409,
  },
  searchEndpoints: ofVisibleServices("endpoints:read", "/api/endpoints?q=things"),
  listFindings: ofVisibleServices("endpoints:read", "/api/findings"),
  summarizeFindings: ofVisibleServices("endpoints:read", "/api/findings/summary"),
  exportFindings: ofVisibleServices("endpoints:read", "/api/findings/export?format=json"),
  getOverview: ofVisibleServices("services:read", "/api/overview"),
  listServices: ofVisibleServices("services:read", "/api/services"),
  getService: ofService("services:read", (service) => get(service)),
  listServiceScanRuns: ofService("services:read", (service) => get(`${service}/scan-runs`)),
  listServiceChanges: ofService("endpoints:read", (service) => get(`${service}/changes`)),
  getServiceBadge: ofService("services:read", (service) => get(`${service}/badge`)),
  createServiceBadge: {
    ...ofService("services:update", (service) => post(`${service}/badge`)),
    needs: ["services:read", "services:update"],
    success: 201,
  },
  deleteServiceBadge: {
    ...ofService("services:update", (service) => ({ method: "DELETE", path: `${service}/badge` })),
    success: 204,
  },
  listServiceEndpoints: ofService("endpoints:read", (service) => get(`${service}/endpoints`)),
  createJourneyChangeset: ofOrganization(
    "journeys:write",
    () =>
      post("/api/journey-changesets", {
        changes: [{ path: `${randomUUID()}.yaml`, text: "openapi: 3.1.0\n", baseVersion: null }],
      }),
    201,
  ),
  listJourneys: ofOrganization("journeys:read", () => get("/api/journeys")),
  getJourney: ofJourney("journeys:read", get),
  listJourneyVersions: ofJourney("journeys:read", (journey) => get(`${journey}/versions`)),
  getJourneyVersion: ofJourney("journeys:read", (journey) => get(`${journey}/versions/1`)),
  getJourneyComposition: ofJourney("journeys:read", (journey) => get(`${journey}/composition`)),
  checkJourney: ofJourney("journeys:read", (journey) => post(`${journey}/check`, {})),
  restoreJourney: ofJourney("journeys:write", (journey) =>
    post(`${journey}/restore`, { version: 1, baseVersion: 1 }),
  ),
  archiveJourney: {
    ...ofJourney("journeys:write", (journey) => ({ method: "DELETE", path: journey })),
    request: async (world) => ({ method: "DELETE", path: `/api/journeys/${await world.anotherJourneyId()}` }),
    ofJourney: false,
  },
  bindJourney: {
    needs: ["journeys:write", "services:read"],
    request: (world) => ({
      method: "PUT",
      path: `/api/journeys/${world.descriptionId}/binding`,
      body: { serviceId: world.serviceId, pathPrefix: "/v1" },
    }),
    success: 200,
    stranger: "not_found",
    ofService: false,
  },
  unbindJourney: {
    ...ofJourney("journeys:write", (journey) => ({ method: "DELETE", path: `${journey}/binding` })),
    success: 204,
  },
  getJourneyCoverage: {
    needs: ["journeys:read", "services:read", "endpoints:read"],
    request: (world) =>
      get(`/api/journey-coverage?serviceId=${world.serviceId}&environmentId=${world.environmentId}`),
    success: 200,
    stranger: "not_found",
    ofService: false,
  },
  listServiceJourneys: {
    ...ofService("services:read", (service) => get(`${service}/journeys`)),
    needs: ["journeys:read", "services:read"],
    ofService: false,
  },
  listBrokenJourneys: {
    ...ofRun("services:read", (run) => get(`${run}/broken-journeys`)),
    needs: ["journeys:read", "services:read"],
    ofService: false,
  },
  startJourneyRun: {
    ...ofOrganization("journeys:run", (world) =>
      post("/api/journey-runs", { journeyId: world.journeyId, environmentId: world.environmentId }),
    ),
    success: 202,
    stranger: "not_found",
    ofEnvironment: true,
    ofJourney: true,
  },
  listJourneyRuns: ofOrganization("journeys:read", () => get("/api/journey-runs")),
  getJourneyRun: ofJourneyRun("journeys:read", (run) => get(run)),
  listJourneyRunSteps: ofJourneyRun("journeys:read", (run) => get(`${run}/steps`)),
  getJourneyRunStep: ofJourneyRun("journeys:read", (run) => get(`${run}/steps/0`)),
  getJourneyRunResult: ofJourneyRun("journeys:read", (run) => get(`${run}/result`)),
  getJourneyRunReport: ofJourneyRun("journeys:read", (run) => get(`${run}/reports/ctrf`)),
  cancelJourneyRun: { ...ofJourneyRun("journeys:run", (run) => post(`${run}/cancel`)), success: 202 },
  rerunJourney: { ...ofJourneyRun("journeys:run", (run) => post(`${run}/rerun`)), success: 202 },
  uploadJourneyResult: {
    needs: ["journey-results:create"],
    request: (world) =>
      post("/api/journey-results", { result: { ...world.abortedResult, runId: randomUUID() } }),
    success: 201,
    stranger: "artifact_unknown",
    ofService: false,
    ofEnvironment: true,
    ofJourney: true,
  },
  getJourneyArtifact: {
    ...ofJourneyRun("journeys:read", () => get("")),
    request: (world) => get(`/api/journey-artifacts/${world.artifact}`),
    ofJourney: true,
  },
  listJourneySchedules: ofOrganization("journeys:read", () => get("/api/journey-schedules")),
  createJourneySchedule: {
    ...ofOrganization("journeys:schedule", (world) => post("/api/journey-schedules", scheduleOf(world))),
    success: 201,
    stranger: "not_found",
    ofEnvironment: true,
    ofJourney: true,
  },
  getJourneySchedule: ofSchedule("journeys:read", (schedule) => get(schedule)),
  replaceJourneySchedule: ofSchedule("journeys:schedule", (schedule, world) => ({
    method: "PUT",
    path: schedule,
    body: scheduleOf(world),
  })),
  deleteJourneySchedule: {
    ...ofSchedule("journeys:schedule", () => get("")),
    request: async (world) => ({
      method: "DELETE",
      path: `/api/journey-schedules/${await world.anotherScheduleId()}`,
    }),
    success: 204,
  },
  pauseJourneySchedule: ofSchedule("journeys:schedule", (schedule) => post(`${schedule}/pause`)),
  resumeJourneySchedule: ofSchedule("journeys:schedule", (schedule) => post(`${schedule}/resume`)),
  listJourneyScheduleTicks: ofSchedule("journeys:read", (schedule) => get(`${schedule}/ticks`)),
  listApiKeys: {
    ...ofOrganization("api-keys:read", (world) => get(`/api/api-keys?${inOrganization(world)}`)),
    stranger: "organization_mismatch",
    resourceType: "api_key",
  },
  createApiKey: ofOrganization(
    "api-keys:create",
    () => post("/api/api-keys", { name: "x", ownerPrincipalType: "user", scopes: ["api-keys:create"] }),
    201,
  ),
  getApiKey: {
    ...ofOrganization("api-keys:read", (world) =>
      get(`/api/api-keys/${world.apiKeyId}?${inOrganization(world)}`),
    ),
    stranger: "organization_mismatch",
  },
  revokeApiKey: {
    ...ofOrganization("api-keys:revoke", async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:revoke"])}/revoke`),
    ),
    stranger: "not_found",
  },
  revokeApiKeys: ofOrganization("api-keys:revoke", async (world) =>
    post("/api/api-key-revocations", { apiKeyIds: [await world.anotherKeyId(["api-keys:revoke"])] }),
  ),
  disableApiKey: {
    ...ofOrganization("api-keys:revoke", async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:revoke"])}/disable`),
    ),
    stranger: "not_found",
  },
  enableApiKey: {
    ...ofOrganization("api-keys:create", async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:create"])}/enable`),
    ),
    stranger: "not_found",
  },
  rotateApiKey: {
    needs: ["api-keys:create", "api-keys:revoke"],
    request: async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:create"])}/rotate`, { graceSeconds: 60 }),
    success: 201,
    stranger: "not_found",
    ofService: false,
  },
  listEnvironments: {
    ...ofOrganization("environments:read", () => get("/api/environments")),
    resourceType: "environment",
  },
  createEnvironment: {
    ...ofOrganization("environments:write", () => post("/api/environments", { name: randomUUID() }), 201),
    resourceType: "environment",
  },
  getEnvironment: ofEnvironment("environments:read", (environment) => get(environment)),
  replaceEnvironment: ofEnvironment("environments:write", async (environment, world) => ({
    method: "PUT",
    path: environment,
    headers: { "if-match": `"${await world.environmentRevision()}"` },
    body: { name: world.environmentName },
  })),
  deleteEnvironment: {
    ...ofEnvironment("environments:write", () => get("")),
    request: async (world) => ({
      method: "DELETE",
      path: `/api/environments/${await world.anotherEnvironmentId()}`,
    }),
    success: 204,
    // Each request deletes an environment of its own.
    ofEnvironment: false,
  },
  listEnvironmentSecrets: ofEnvironment("environments:read", (environment) => get(`${environment}/secrets`)),
  setEnvironmentSecret: ofEnvironment(
    "secrets:write",
    (environment) => ({
      method: "PUT",
      path: `${environment}/secrets/TOKEN`,
      body: { value: randomUUID(), hosts: ["api.example.com"] },
    }),
    204,
  ),
  deleteEnvironmentSecret: ofEnvironment(
    "secrets:write",
    async (environment, world) => ({
      method: "DELETE",
      path: `${environment}/secrets/${await world.anotherSecretName()}`,
    }),
    204,
  ),
  previewJourneyRelease: ofRelease("environments:read", (release) => get(release)),
  releaseJourney: ofRelease("environments:write", (release) => ({
    method: "PUT",
    path: release,
    body: { version: 1 },
  })),
  deleteJourneyRelease: ofEnvironment(
    "environments:write",
    async (environment, world) => ({
      method: "DELETE",
      path: `${environment}/releases/${await world.releasedJourneyId()}`,
    }),
    204,
  ),
  getOwnApiKey: ofEveryKey(() => get("/api/api-keys/self")),
  revokeOwnApiKey: ofEveryKey(() => post("/api/api-keys/self/revoke")),
  listAuditEvents: ofOrganization("audit:read", () => get("/api/audit-events")),
  getLimits: ofEveryKey(() => get("/api/limits")),
  getSession: ofEveryKey(() => get("/api/session")),
};

/** The routes without a key (`security: []` in `/openapi.json`), and why they need none. */
export const PUBLIC_ROUTES = {
  createSession: "its body is the credential",
  deleteSession: "takes the caller's own cookie away",
};

function ofRun(permission: Permission, request: (run: string) => RouteRequest): RouteCase {
  return {
    needs: [permission],
    request: (world) => request(`/api/scan-runs/${world.scanRunId}`),
    success: 200,
    stranger: "not_found",
    ofService: true,
  };
}

/** A list over all services: a key that is limited to some gets what belongs to these. */
function ofVisibleServices(permission: Permission, path: string): RouteCase {
  return {
    needs: [permission],
    request: () => get(path),
    success: 200,
    stranger: "its own",
    ofService: true,
    resourceType: "service",
    isFiltered: true,
  };
}

function ofService(permission: Permission, request: (service: string) => RouteRequest): RouteCase {
  return {
    needs: [permission],
    request: (world) => request(`/api/services/${world.serviceId}`),
    success: 200,
    stranger: "not_found",
    ofService: true,
  };
}

function ofEnvironment(
  permission: Permission,
  request: (environment: string, world: RouteWorld) => RouteRequest | Promise<RouteRequest>,
  success: 200 | 204 = 200,
): RouteCase {
  return {
    needs: [permission],
    request: (world) => request(`/api/environments/${world.environmentId}`, world),
    success,
    stranger: "not_found",
    ofService: false,
    ofEnvironment: true,
  };
}

/** A release is of an environment and a journey: a scope that is limited to one of them grants nothing for the other. */
function ofRelease(permission: Permission, request: (release: string) => RouteRequest): RouteCase {
  return {
    needs: [permission, "journeys:read"],
    request: (world) => request(`/api/environments/${world.environmentId}/releases/${world.journeyId}`),
    success: 200,
    stranger: "not_found",
    ofService: false,
  };
}

function ofJourney(permission: Permission, request: (journey: string) => RouteRequest): RouteCase {
  return {
    needs: [permission],
    request: (world) => request(`/api/journeys/${world.journeyId}`),
    success: 200,
    stranger: "not_found",
    ofService: false,
    ofJourney: true,
  };
}

function ofJourneyRun(permission: Permission, request: (run: string) => RouteRequest): RouteCase {
  return {
    needs: [permission],
    request: (world) => request(`/api/journey-runs/${world.journeyRunId}`),
    success: 200,
    stranger: "not_found",
    ofService: false,
    ofJourney: true,
    ofEnvironment: true,
  };
}

function ofSchedule(
  permission: Permission,
  request: (schedule: string, world: RouteWorld) => RouteRequest,
): RouteCase {
  return {
    needs: [permission],
    request: (world) => request(`/api/journey-schedules/${world.scheduleId}`, world),
    success: 200,
    stranger: "not_found",
    ofService: false,
    ofEnvironment: true,
    ofJourney: true,
  };
}

function scheduleOf({ journeyId, environmentId }: RouteWorld) {
  return { name: randomUUID(), journeyId, environmentId, cron: "0 0 1 1 *" };
}

function ofOrganization(
  permission: Permission,
  request: RouteCase["request"],
  success: 200 | 201 = 200,
): RouteCase {
  return { needs: [permission], request, success, stranger: "its own", ofService: false };
}

function ofEveryKey(request: RouteCase["request"]): RouteCase {
  return { needs: [], request, success: 200, stranger: "its own", ofService: false };
}
