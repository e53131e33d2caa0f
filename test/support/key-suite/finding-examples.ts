import { get, ofVisibleServices, post, type RouteExample } from "./route-example.ts";
import type { RouteWorld } from "./world.ts";

const FINGERPRINT = "0".repeat(32);
const FINDING = { method: null, path: null, message: "m" };

/** Examples of the operations on findings of current runs. */
export const FINDING_EXAMPLES: Readonly<Record<string, RouteExample>> = {
  listFindings: ofVisibleServices("/api/findings"),
  listFindingDecisions: ofVisibleServices("/api/finding-decisions"),
  createFindingDecision: {
    request: (world) => post("/api/finding-decisions", decisionOf(world)),
    success: 201,
    stranger: "not_found",
  },
  createFindingDecisions: {
    request: ({ serviceId }) =>
      post("/api/finding-decision-batches", {
        kind: "wont_fix",
        reason: "r",
        findings: [{ serviceId, code: "no-summary", finding: FINDING, maxSeverity: "low" }],
      }),
    success: 201,
    stranger: "not_found",
  },
  deleteFindingDecisions: {
    request: async (world) =>
      post("/api/finding-decision-revocations", {
        decisions: [{ serviceId: world.serviceId, decisionId: await world.anotherDecisionId() }],
      }),
    success: 200,
    stranger: "not_found",
  },
  deleteFindingDecision: {
    request: async (world) => ({
      method: "DELETE",
      path: `/api/finding-decisions/${await world.anotherDecisionId()}`,
    }),
    success: 204,
    stranger: "not_found",
  },
  listFindingComments: {
    request: ({ serviceId }) =>
      get(`/api/finding-comments?serviceId=${serviceId}&fingerprint=${FINGERPRINT}`),
    success: 200,
    stranger: "not_found",
  },
  createFindingComment: {
    request: ({ serviceId }) =>
      post("/api/finding-comments", { serviceId, fingerprint: FINGERPRINT, text: "seen" }),
    success: 201,
    stranger: "not_found",
  },
  deleteFindingComment: {
    // Only its author may delete it.
    request: async (world) => ({
      method: "DELETE",
      path: `/api/finding-comments/${await world.anotherCommentId()}`,
    }),
    success: 409,
    stranger: "not_found",
  },
  listScanRunComments: {
    request: ({ scanRunId }) => get(`/api/scan-runs/${scanRunId}/comments`),
    success: 200,
    stranger: "not_found",
  },
  createScanRunComment: {
    request: ({ scanRunId }) => post(`/api/scan-runs/${scanRunId}/comments`, { text: "seen" }),
    success: 201,
    stranger: "not_found",
  },
  updateScanRunComment: {
    // Only its author may change it.
    request: async (world) => ({
      method: "PATCH",
      path: `/api/scan-runs/${world.scanRunId}/comments/${await world.anotherRunCommentId()}`,
      body: { text: "changed" },
    }),
    success: 409,
    stranger: "not_found",
  },
  deleteScanRunComment: {
    request: async (world) => ({
      method: "DELETE",
      path: `/api/scan-runs/${world.scanRunId}/comments/${await world.anotherRunCommentId()}`,
    }),
    success: 204,
    stranger: "not_found",
  },
  assignFinding: {
    request: async (world) => ({
      method: "PUT",
      path: "/api/finding-assignments",
      body: {
        serviceId: world.serviceId,
        code: "no-summary",
        finding: FINDING,
        principalId: await world.anotherViewerId(),
      },
    }),
    success: 200,
    stranger: "not_found",
  },
  assignFindings: {
    request: async (world) =>
      post("/api/finding-assignment-batches", {
        findings: [{ serviceId: world.serviceId, code: "no-summary", finding: FINDING }],
        assignee: { principalId: await world.anotherViewerId() },
      }),
    success: 200,
    stranger: "not_found",
  },
  listFindingAssignments: ofVisibleServices("/api/finding-assignments"),
  unassignFinding: {
    request: ({ serviceId }) => ({
      method: "DELETE",
      path: `/api/finding-assignments?serviceId=${serviceId}&fingerprint=${FINGERPRINT}`,
    }),
    success: 204,
    stranger: "not_found",
  },
  summarizeFindings: ofVisibleServices("/api/findings/summary"),
  exportFindings: ofVisibleServices("/api/findings/export?format=json"),
};

/** A decision about a rule in the world's service. */
export function decisionOf({ serviceId }: Pick<RouteWorld, "serviceId">) {
  return { kind: "wont_fix", serviceId, code: "no-summary", reason: "r" };
}
