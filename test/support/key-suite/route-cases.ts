import type { NeededPermission } from "@waymark/shared/api-keys/schema.ts";
import { OPERATIONS } from "@waymark/shared/all-operations.ts";
import type { Access, KeyAccess } from "@waymark/shared/operations/operation.ts";
import { randomUUID } from "node:crypto";
import { descriptionOf } from "../descriptions.ts";
import { scanPayload } from "../scan-payload.ts";
import { FINDING_EXAMPLES } from "./finding-examples.ts";
import { JOURNEY_EXAMPLES } from "./journey-examples.ts";
import { PRINCIPAL_EXAMPLES } from "./principal-examples.ts";
import {
  get,
  ofOrganization,
  ofVisibleServices,
  post,
  type RouteExample,
  type RouteRequest,
} from "./route-example.ts";
import type { RouteWorld } from "./world.ts";

export type { RouteRequest } from "./route-example.ts";

/** An example, with what the operation's declaration says about keys. */
export interface RouteCase extends RouteExample {
  /** The required permissions; none means that every valid key is accepted. */
  needs: readonly NeededPermission[];
  /** Whether a scope limited to the world's service is enough. If not, the request shows no service. */
  ofService: boolean;
  /** Whether a scope bound to the environment that the request is about is enough. */
  ofEnvironment: boolean;
  /** Whether a scope bound to the journey that the request is about is enough. */
  ofJourney: boolean;
  /** The type of the listed or created resource, which a scope's `resourceType` may name. */
  resourceType: KeyAccess["resourceType"];
  /** True for a list that has what the key may read, and is empty for a key that is limited to services that don't exist. */
  isFiltered: boolean;
}

const inOrganization = (world: RouteWorld) => `organizationId=${world.organizationId}`;

/** An example of every authenticated operation, by its id. The suite fails if one is missing here. */
const EXAMPLES: Readonly<Record<string, RouteExample>> = {
  ingestScan: {
    request: (world) =>
      post("/api/scans/ingest", scanPayload({ serviceName: world.serviceName, seed: randomUUID() })),
    success: 201,
    stranger: "its own",
  },
  getScanRun: ofRun((run) => get(run)),
  listScanRunEndpoints: ofRun((run) => get(`${run}/endpoints`)),
  listScanRunFindings: ofRun((run) => get(`${run}/findings`)),
  getScanRunFinding: ofRun((run) => get(`${run}/findings/0`)),
  getScanRunChanges: ofRun((run) => get(`${run}/changes`)),
  putScanDescription: {
    ...ofRun(() => get("")),
    request: async (world) => ({
      method: "PUT",
      path: `/api/scan-runs/${await world.anotherScanRunId()}/description?waitSeconds=20`,
      body: descriptionOf(scanPayload({}).endpoints),
    }),
    success: 201,
  },
  getScanDescription: ofRun((run) => get(`${run}/description`)),
  putScanGates: {
    ...ofRun(() => get("")),
    request: async (world) => ({
      method: "PUT",
      path: `/api/scan-runs/${await world.anotherScanRunId()}/gates`,
      body: { gates: [{ gate: "--fail-on high", passed: true, causes: [], causeCount: 0 }] },
    }),
  },
  getScanGates: ofRun((run) => get(`${run}/gates`)),
  promoteScanRun: ofRun((run) => post(`${run}/promote`)),
  undoPromotion: {
    ...ofRun((run) => ({ method: "DELETE", path: `${run}/promotion` })),
    success: 409,
  },
  searchEndpoints: ofVisibleServices("/api/endpoints?q=things"),
  ...FINDING_EXAMPLES,
  getOverview: ofVisibleServices("/api/overview"),
  snoozeItem: {
    // A time that is over: whether a person can snooze depends on the user of the key.
    request: () => ({
      method: "PUT",
      path: `/api/overview/snoozes/held/${randomUUID()}`,
      body: { event: randomUUID(), level: 0, until: "2026-01-01T00:00:00Z" },
    }),
    success: 400,
    stranger: "validation_failed",
  },
  unsnoozeItem: {
    request: () => ({ method: "DELETE", path: `/api/overview/snoozes/held/${randomUUID()}` }),
    success: 204,
    stranger: "its own",
  },
  listPullRequests: ofVisibleServices("/api/pull-requests"),
  listServices: ofVisibleServices("/api/services"),
  getService: ofService((service) => get(service)),
  getCurrentScanRun: ofService((service) => get(`${service}/current-scan-run`)),
  listServiceScanRuns: ofService((service) => get(`${service}/scan-runs`)),
  listServiceChanges: ofService((service) => get(`${service}/changes`)),
  updateService: ofService((service) => ({
    method: "PATCH",
    path: service,
    body: { defaultBranch: "main" },
  })),
  deleteService: {
    ...ofService(() => get("")),
    request: async (world) => {
      const { id, name } = await world.anotherService();
      return { method: "DELETE", path: `/api/services/${id}?name=${name}` };
    },
    success: 204,
    usesUp: true,
  },
  getServiceBadge: ofService((service) => get(`${service}/badge`)),
  createServiceBadge: {
    ...ofService((service) => post(`${service}/badge`)),
    success: 201,
  },
  deleteServiceBadge: {
    ...ofService((service) => ({ method: "DELETE", path: `${service}/badge` })),
    success: 204,
  },
  listChangeApprovals: ofService((service) => get(`${service}/change-approvals`)),
  listAllChangeApprovals: ofVisibleServices("/api/change-approvals"),
  createChangeApprovals: {
    ...ofService((service) =>
      post(`${service}/change-approvals`, { fingerprints: ["0".repeat(32)], reason: "agreed" }),
    ),
    success: 201,
  },
  deleteChangeApproval: {
    ...ofService((service) => ({
      method: "DELETE",
      path: `${service}/change-approvals/${"0".repeat(32)}`,
    })),
    success: 204,
  },
  listServiceEndpoints: ofService((service) => get(`${service}/endpoints`)),
  listServiceJourneys: {
    ...ofService((service) => get(`${service}/journeys`)),
  },
  listBrokenJourneys: {
    ...ofRun((run) => get(`${run}/broken-journeys`)),
  },
  ...JOURNEY_EXAMPLES,
  listApiKeys: {
    ...ofOrganization((world) => get(`/api/api-keys?${inOrganization(world)}`)),
    stranger: "organization_mismatch",
  },
  createApiKey: ofOrganization(
    () => post("/api/api-keys", { name: "x", ownerPrincipalType: "user", scopes: ["api-keys:create"] }),
    201,
  ),
  getApiKey: {
    ...ofOrganization((world) => get(`/api/api-keys/${world.apiKeyId}?${inOrganization(world)}`)),
    stranger: "organization_mismatch",
  },
  revokeApiKey: {
    ...ofOrganization(async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:revoke"])}/revoke`),
    ),
    stranger: "not_found",
  },
  revokeApiKeys: ofOrganization(async (world) =>
    post("/api/api-key-revocations", { apiKeyIds: [await world.anotherKeyId(["api-keys:revoke"])] }),
  ),
  disableApiKey: {
    ...ofOrganization(async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:revoke"])}/disable`),
    ),
    stranger: "not_found",
  },
  enableApiKey: {
    ...ofOrganization(async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:create"])}/enable`),
    ),
    stranger: "not_found",
  },
  rotateApiKey: {
    request: async (world) =>
      post(`/api/api-keys/${await world.anotherKeyId(["api-keys:create"])}/rotate`, { graceSeconds: 60 }),
    success: 201,
    stranger: "not_found",
  },
  ...PRINCIPAL_EXAMPLES,
  listTrustPolicies: ofOrganization(() => get("/api/trust-policies")),
  createTrustPolicy: {
    ...ofOrganization((world) => post("/api/trust-policies", trustPolicyOf(world)), 201),
    // The audience belongs to the world's organization.
    stranger: "validation_failed",
  },
  getTrustPolicy: ofTrustPolicy((policy) => get(policy)),
  replaceTrustPolicy: ofTrustPolicy((policy, world) => ({
    method: "PUT",
    path: policy,
    headers: { "if-match": '"1"' },
    body: trustPolicyOf(world),
  })),
  deleteTrustPolicy: ofTrustPolicy((policy) => ({ method: "DELETE", path: policy }), 204),
  getOwnApiKey: ofEveryKey(() => get("/api/api-keys/self")),
  revokeOwnApiKey: ofEveryKey(() => post("/api/api-keys/self/revoke")),
  listAuditEvents: ofOrganization(() => get("/api/audit-events")),
  getLimits: ofEveryKey(() => get("/api/limits")),
  getSeverityPolicy: ofEveryKey(() => get("/api/severity-policy")),
  replaceSeverityPolicy: ofOrganization(() => ({
    method: "PUT",
    path: "/api/severity-policy",
    body: { rules: [{ code: "no-auth", severity: "high" }] },
  })),
  getSession: ofEveryKey(() => get("/api/session")),
};

/** Every authenticated operation by its id, as it is declared, with an example. */
export const ROUTE_CASES: Readonly<Record<string, RouteCase>> = Object.fromEntries(
  Object.entries(EXAMPLES).map(([id, example]) => [id, withAccess(example, OPERATIONS[id]?.access)]),
);

/** @throws Error if there is no such operation, or if it needs no key */
function withAccess(example: RouteExample, access: Access | undefined): RouteCase {
  if (access === undefined || access === "public")
    throw new Error("an example is of no operation with a key");
  const { needs, within = [], resourceType, isFiltered = false } = access;
  const accepts = (kind: "service" | "environment" | "workflow") =>
    within.includes(kind) && example.usesUp !== true;
  return {
    ...example,
    needs,
    ofService: accepts("service"),
    ofEnvironment: accepts("environment"),
    ofJourney: accepts("workflow"),
    resourceType,
    isFiltered,
  };
}

/** The routes without a key (`security: []` in `/openapi.json`), and why they need none. */
export const PUBLIC_ROUTES = {
  createSession: "its body is the credential",
  deleteSession: "takes the caller's own cookie away",
  acceptInvitation: "the token in its body is the credential",
  openJourneyRunLink: "the token in its body is the credential",
  exchangeToken: "the token in its body is the credential",
  listSignInOptions: "a browser that is not signed in asks for them",
  beginSignIn: "a browser that is not signed in asks for it",
  completeSignIn: "its cookie and the provider's response are the credential",
  logOutByProvider: "the token in its body is the credential",
};

function ofRun(request: (run: string) => RouteRequest): RouteExample {
  return {
    request: (world) => request(`/api/scan-runs/${world.scanRunId}`),
    success: 200,
    stranger: "not_found",
  };
}

function ofService(request: (service: string) => RouteRequest): RouteExample {
  return {
    request: (world) => request(`/api/services/${world.serviceId}`),
    success: 200,
    stranger: "not_found",
  };
}

function ofTrustPolicy(
  request: (policy: string, world: RouteWorld) => RouteRequest,
  success: 200 | 204 = 200,
): RouteExample {
  return {
    request: async (world) => request(`/api/trust-policies/${await world.anotherTrustPolicyId()}`, world),
    success,
    stranger: "not_found",
  };
}

/** With a permission that every key of these requests has. The audience is for a server with several organizations. */
export function trustPolicyOf({ organizationId }: Pick<RouteWorld, "organizationId">) {
  return {
    name: randomUUID(),
    issuer: "https://token.actions.githubusercontent.com",
    audience: `waymark#${organizationId}`,
    conditions: { repository_owner_id: "65" },
    scopes: ["trust:write"],
  };
}

function ofEveryKey(request: RouteExample["request"]): RouteExample {
  return { request, success: 200, stranger: "its own" };
}
