import { type DecisionOrganization, FINGERPRINT, type Letter } from "./organization.ts";
import { may, mayOnSomeService, type PlainResource, type PlainScope } from "./rule.ts";

/** A request, and whether a key with these scopes is allowed to make it. */
export interface DecidedRequest {
  operationId: string;
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  isAllowed: (scopes: readonly PlainScope[]) => boolean;
  /** True if it changes the world where it is allowed: it is sent only where it must be refused. */
  isDestructive?: boolean;
}

type Need = [permission: string, resource: PlainResource];
export const needs =
  (...all: Need[]) =>
  (scopes: readonly PlainScope[]) =>
    all.every(([permission, resource]) => may(scopes, permission, resource));

export const NO_ARTIFACT = "0".repeat(64);
export const get = (
  operationId: string,
  path: string,
  isAllowed: DecidedRequest["isAllowed"],
): DecidedRequest => ({
  operationId,
  method: "GET",
  path,
  isAllowed,
});

export function change(
  operationId: string,
  [method, path]: [string, string],
  isAllowed: DecidedRequest["isAllowed"],
  more: Partial<DecidedRequest> = {},
): DecidedRequest {
  return { operationId, method, path, isAllowed, ...(method === "DELETE" ? {} : { body: {} }), ...more };
}

/** The other letter's things, with the name of its service. */
export function otherThings({ things }: Pick<DecisionOrganization, "things">, letter: Letter) {
  const other = letter === "alder" ? "birch" : "alder";
  return { ...things[other], name: `svc${other}` };
}

export function ofService(world: DecisionOrganization, letter: Letter): DecidedRequest[] {
  const { serviceId, scanRunId, decisionId, commentId, runCommentId } = world.things[letter];
  const service = { service: { id: serviceId, name: `svc${letter}` } };
  const at = `/api/services/${serviceId}`;
  const run = `/api/scan-runs/${scanRunId}`;
  const read = needs(["services:read", service]);
  const endpoints = needs(["endpoints:read", service]);
  const update = needs(["services:update", service]);
  const isDestructive = true;
  const ofFinding = `serviceId=${serviceId}&fingerprint=${FINGERPRINT}`;
  const finding = { serviceId, code: "c", finding: { method: null, path: null, message: "m" } };
  const other = otherThings(world, letter);
  const otherService = { service: { id: other.serviceId, name: other.name } };
  return [
    get("getService", at, read),
    get("getCurrentScanRun", `${at}/current-scan-run`, read),
    get("listServiceScanRuns", `${at}/scan-runs`, read),
    get("listServiceChanges", `${at}/changes`, endpoints),
    get("listServiceEndpoints", `${at}/endpoints`, endpoints),
    change("updateService", ["PATCH", at], update, { body: { defaultBranch: "main" } }),
    change("updateService", ["PATCH", at], update, { body: { labels: { team: "a" }, archived: false } }),
    change(
      "updateService",
      ["PATCH", at],
      needs(["services:update", service], ["services:create", { service: { name: "svcnew" } }]),
      { isDestructive, body: { name: "svcnew" } },
    ),
    change("deleteService", ["DELETE", `${at}?name=svc${letter}`], needs(["services:delete", service]), {
      isDestructive,
    }),
    get("getServiceBadge", `${at}/badge`, read),
    change(
      "createServiceBadge",
      ["POST", `${at}/badge`],
      needs(["services:read", service], ["services:update", service]),
      {
        isDestructive,
      },
    ),
    change("deleteServiceBadge", ["DELETE", `${at}/badge`], update, { isDestructive }),
    get("listChangeApprovals", `${at}/change-approvals`, endpoints),
    change("createChangeApprovals", ["POST", `${at}/change-approvals`], needs(["changes:approve", service]), {
      isDestructive,
      body: { fingerprints: [FINGERPRINT], reason: "r" },
    }),
    change(
      "deleteChangeApproval",
      ["DELETE", `${at}/change-approvals/${FINGERPRINT}`],
      needs(["changes:approve", service]),
      { isDestructive },
    ),
    change("createFindingDecision", ["POST", "/api/finding-decisions"], needs(["findings:decide", service]), {
      isDestructive,
      body: { kind: "wont_fix", serviceId, code: "c", reason: "r" },
    }),
    change(
      "createFindingDecisions",
      ["POST", "/api/finding-decision-batches"],
      needs(["findings:decide", service]),
      {
        isDestructive,
        body: { kind: "wont_fix", reason: "r", findings: [{ ...finding, maxSeverity: "low" }] },
      },
    ),
    change(
      "deleteFindingDecisions",
      ["POST", "/api/finding-decision-revocations"],
      needs(["findings:decide", service]),
      { isDestructive, body: { decisions: [{ serviceId, decisionId }] } },
    ),
    change(
      "deleteFindingDecision",
      ["DELETE", `/api/finding-decisions/${decisionId}`],
      needs(["findings:decide", service]),
      { isDestructive },
    ),
    get("listFindingComments", `/api/finding-comments?${ofFinding}`, endpoints),
    change("createFindingComment", ["POST", "/api/finding-comments"], needs(["findings:decide", service]), {
      isDestructive,
      body: { serviceId, fingerprint: FINGERPRINT, text: "t" },
    }),
    change(
      "deleteFindingComment",
      ["DELETE", `/api/finding-comments/${commentId}`],
      needs(["findings:decide", service]),
      { isDestructive },
    ),
    change("assignFinding", ["PUT", "/api/finding-assignments"], needs(["findings:decide", service]), {
      isDestructive,
      body: { serviceId, code: "c", finding: { method: null, path: null, message: "m" } },
    }),
    change(
      "assignFindings",
      ["POST", "/api/finding-assignment-batches"],
      needs(["findings:decide", service]),
      {
        isDestructive,
        body: { findings: [finding], assignee: null },
      },
    ),
    change(
      "unassignFinding",
      ["DELETE", `/api/finding-assignments?${ofFinding}`],
      needs(["findings:decide", service]),
      { isDestructive },
    ),
    get("listServiceJourneys", `${at}/journeys`, (scopes) => read(scopes) && readsSomeJourney(scopes)),
    get("getScanRun", run, read),
    get("listScanRunEndpoints", `${run}/endpoints`, endpoints),
    get("listScanRunFindings", `${run}/findings`, endpoints),
    get("listScanRunComments", `${run}/comments`, endpoints),
    change("createScanRunComment", ["POST", `${run}/comments`], needs(["findings:decide", service]), {
      isDestructive,
      body: { text: "t" },
    }),
    change(
      "updateScanRunComment",
      ["PATCH", `${run}/comments/${runCommentId}`],
      needs(["findings:decide", service]),
      { isDestructive, body: { text: "t" } },
    ),
    change(
      "deleteScanRunComment",
      ["DELETE", `${run}/comments/${runCommentId}`],
      needs(["findings:decide", service], ["principals:manage", service]),
      { isDestructive },
    ),
    get("getScanRunFinding", `${run}/findings/0`, endpoints),
    get("getScanRunChanges", `${run}/changes`, endpoints),
    get(
      "getScanRunChanges",
      `${run}/changes?against=${other.scanRunId}`,
      needs(["endpoints:read", service], ["endpoints:read", otherService]),
    ),
    get(
      "listBrokenJourneys",
      `${run}/broken-journeys`,
      needs(["services:read", service], ["journeys:read", { listOf: ["workflow"] }]),
    ),
    get("getScanDescription", `${run}/description`, endpoints),
    change("putScanDescription", ["PUT", `${run}/description`], needs(["endpoints:write", service]), {
      isDestructive,
    }),
    get("getScanGates", `${run}/gates`, endpoints),
    change("putScanGates", ["PUT", `${run}/gates`], needs(["endpoints:write", service]), {
      isDestructive,
      body: { gates: [{ gate: "--fail-on high", passed: true, causes: [], causeCount: 0 }] },
    }),
    change("promoteScanRun", ["POST", `${run}/promote`], update),
    change("undoPromotion", ["DELETE", `${run}/promotion`], update, { isDestructive }),
    change(
      "ingestScan",
      ["POST", "/api/scans/ingest"],
      needs(["scans:create", service], ["services:update", service], ["endpoints:write", service]),
      { isDestructive, body: scanOf(`svc${letter}`) },
    ),
    get(
      "getJourneyCoverage",
      `/api/journey-coverage?serviceId=${serviceId}`,
      (scopes) => read(scopes) && endpoints(scopes) && readsSomeJourney(scopes),
    ),
  ];
}

export const scanOf = (name: string) => ({
  service: { name },
  spec: { hash: NO_ARTIFACT, format: "openapi" },
  endpoints: [{ method: "GET", path: "/", operationId: null, tags: [], summary: null }],
  findings: [],
});

/** A scope that names no journey grants all; one that names a journey grants that one, whether it exists or not. */
export function readsSomeJourney(scopes: readonly PlainScope[]): boolean {
  const named = scopes.flatMap(({ workflowId, resourceId }) => [workflowId, resourceId]);
  return ["none", ...named].some((workflow) =>
    may(scopes, "journeys:read", { workflow: workflow ?? "none" }),
  );
}

export function listsOfServices({ things }: DecisionOrganization): DecidedRequest[] {
  const some = (permission: string) => (scopes: readonly PlainScope[]) =>
    mayOnSomeService(scopes, permission);
  return [
    ...["", "?name=svcalder", "?name=svcbirch", "?limit=1", "?trend=7"].map((query) =>
      get("listServices", `/api/services${query}`, some("services:read")),
    ),
    get("listTeams", "/api/teams", some("services:read")),
    get("getOverview", "/api/overview", some("services:read")),
    get("getOverview", "/api/overview?snoozed=true", some("services:read")),
    change(
      "snoozeItem",
      ["PUT", `/api/overview/snoozes/held/${things.birch.serviceId}`],
      some("services:read"),
      {
        body: { event: "", level: 0, until: "2026-01-01T00:00:00Z" },
      },
    ),
    change(
      "unsnoozeItem",
      ["DELETE", `/api/overview/snoozes/held/${things.birch.serviceId}`],
      some("services:read"),
    ),
    get("listSavedViews", "/api/saved-views", some("services:read")),
    change("createSavedView", ["POST", "/api/saved-views"], some("services:read"), {
      body: { name: "Mine", page: "/services", query: "" },
    }),
    change(
      "updateSavedView",
      ["PATCH", `/api/saved-views/${things.birch.serviceId}`],
      some("services:read"),
      {
        body: { name: "Mine" },
        headers: { "if-match": '"1"' },
      },
    ),
    change(
      "deleteSavedView",
      ["DELETE", `/api/saved-views/${things.birch.serviceId}`],
      some("services:read"),
    ),
    get("searchEndpoints", "/api/endpoints?q=pth", some("endpoints:read")),
    get("listPullRequests", "/api/pull-requests", some("endpoints:read")),
    ...[
      "",
      "?code=fndbirch",
      `?serviceId=${things.birch.serviceId}`,
      `?serviceId=${things.alder.serviceId}`,
      "?q=msgbirch",
    ].map((query) => get("listFindings", `/api/findings${query}`, some("endpoints:read"))),
    ...["", "?code=fndbirch", `?serviceId=${things.birch.serviceId}`, "?serviceName=svcalder"].map((query) =>
      get("listFindingDecisions", `/api/finding-decisions${query}`, some("endpoints:read")),
    ),
    ...["", `?serviceId=${things.birch.serviceId}`, "?serviceName=svcalder"].map((query) =>
      get("listAllChangeApprovals", `/api/change-approvals${query}`, some("endpoints:read")),
    ),
    ...["", `?serviceId=${things.birch.serviceId}`, "?assignee=me"].map((query) =>
      get("listFindingAssignments", `/api/finding-assignments${query}`, some("endpoints:read")),
    ),
    change(
      "createFindingDecision",
      ["POST", "/api/finding-decisions"],
      needs(["findings:decide", { listOf: ["service"] }]),
      { isDestructive: true, body: { kind: "wont_fix", code: "c", reason: "r" } },
    ),
    get("summarizeFindings", "/api/findings/summary", some("endpoints:read")),
    get("exportFindings", "/api/findings/export?format=json", some("endpoints:read")),
    get(
      "getJourneyCoverage",
      "/api/journey-coverage",
      (scopes) => readsSomeJourney(scopes) && some("services:read")(scopes) && some("endpoints:read")(scopes),
    ),
  ];
}
