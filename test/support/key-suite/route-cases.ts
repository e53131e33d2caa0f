import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { randomUUID } from "node:crypto";
import { scanPayload } from "../scan-payload.ts";
import type { KeySuiteWorld } from "./world.ts";

export interface RouteRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
}

/** What the key suite must know of a route in order to try every kind of key on it. */
export interface RouteCase {
  /** All of these are needed; none means that every valid key may. */
  needs: readonly Permission[];
  /** A request that succeeds with these permissions. Asked anew for each try, so that it may use something up. */
  request: (world: KeySuiteWorld) => RouteRequest | Promise<RouteRequest>;
  success: 200 | 201;
  /**
   * What another organization's key gets that may do everything at home: an error, or an answer about its own
   * organization, in which nothing of ours may appear.
   */
  stranger: "not_found" | "organization_mismatch" | "its own";
  /** Whether a scope bound to the world's service is enough. Where not, there is no service that the request shows. */
  ofService: boolean;
}

const get = (path: string): RouteRequest => ({ method: "GET", path });
const post = (path: string, body: unknown = {}): RouteRequest => ({ method: "POST", path, body });
const inOrganization = (world: KeySuiteWorld) => `organizationId=${world.organizationId}`;

/** Every authenticated route by its operation id. A new route needs its line here: the suite fails without it. */
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
  getScanRunChanges: ofRun("endpoints:read", (run) => get(`${run}/changes`)),
  promoteScanRun: ofRun("services:update", (run) => post(`${run}/promote`)),
  listServices: ofOrganization("services:read", () => get("/api/services")),
  getService: ofService("services:read", (service) => get(service)),
  listServiceScanRuns: ofService("services:read", (service) => get(`${service}/scan-runs`)),
  listServiceEndpoints: ofService("endpoints:read", (service) => get(`${service}/endpoints`)),
  listApiKeys: {
    ...ofOrganization("api-keys:read", (world) => get(`/api/api-keys?${inOrganization(world)}`)),
    stranger: "organization_mismatch",
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
  getOwnApiKey: ofEveryKey(() => get("/api/api-keys/self")),
  revokeOwnApiKey: ofEveryKey(() => post("/api/api-keys/self/revoke")),
  listAuditEvents: ofOrganization("audit:read", () => get("/api/audit-events")),
  getLimits: ofEveryKey(() => get("/api/limits")),
  getSession: ofEveryKey(() => get("/api/session")),
};

/** Routes that say in `/openapi.json` that they need no key (`security: []`), and why that is right. */
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

function ofService(permission: Permission, request: (service: string) => RouteRequest): RouteCase {
  return {
    needs: [permission],
    request: (world) => request(`/api/services/${world.serviceId}`),
    success: 200,
    stranger: "not_found",
    ofService: true,
  };
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
