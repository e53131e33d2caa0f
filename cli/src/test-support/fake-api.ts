import type { BrokenJourneys } from "@waymark/shared/journey-coverage/schema.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { type Answer, answerJson, type FakeServer, RUN_ID, startFakeServer } from "./fake-server.ts";

export interface FakeApi extends FakeServer {
  /** Ids of runs as the server knows them, by Idempotency-Key: what was stored, and whether it became current. */
  runs: Map<string, { promoted: boolean; scannedAt: string | undefined }>;
}

export interface FakeApiOptions {
  /** The responses of `GET /api/scan-runs/{id}`; the last one is repeated. */
  statuses?: ("accepted" | "completed" | "failed")[];
  changes?: Partial<Pick<ScanChanges, "against" | "endpoints" | "findings">>;
  breaks?: Partial<Pick<BrokenJourneys, "against" | "journeys">>;
  /** The permissions of the key; without them the server has no route for the key, like older ones. */
  permissions?: string[];
  /** The service's current run, with its description; "missing" is a run without one. Without it, there is no service. */
  current?: { scanRunId: string; description: string } | undefined;
  /** The approvals of the service's changes; without them, the server has no route for approvals. */
  approvals?: { state: string }[];
  /** Responds to requests for descriptions. Default: with that of the current run. */
  describeRun?: Answer;
  /** Responds instead of the api if it returns true. */
  intercept?: (...args: Parameters<Answer>) => boolean;
}

export const NO_CHANGES = {
  against: "019a0000-0000-7000-8000-00000000000a",
  endpoints: { added: [], removed: [], changed: [] },
  findings: { new: [], fixed: [], removedWithEndpoint: [], severityChanged: [] },
};

/** The api's responses to a whole scan: ingest (idempotent), status, comparison, promotion. */
export async function startFakeApi(options: FakeApiOptions = {}): Promise<FakeApi> {
  const runs: FakeApi["runs"] = new Map();
  const statuses = [...(options.statuses ?? ["completed" as const])];
  const server = await startFakeServer(
    (request, response, raw) => {
      if (request.url === "/api/scans/ingest") {
        const key = String(request.headers["idempotency-key"]);
        const promoted = request.headers["waymark-promote"] !== "false";
        const scannedAt = request.headers["scanned-at"]?.toString();
        // Stored before the response can fail, so that a second request could duplicate it.
        if (!runs.has(key)) runs.set(key, { promoted, scannedAt });
        if (options.intercept?.(request, response, raw) === true) return;
        const { endpoints, findings } = JSON.parse(request.body);
        const counts = { endpointCount: endpoints.length, findingCount: findings.length };
        answerJson(response, 201, { scanRunId: RUN_ID, serviceId: RUN_ID, status: "accepted", ...counts });
        return;
      }
      if (options.intercept?.(request, response, raw) === true) return;
      if (request.url?.split("?")[0] === `/api/scan-runs/${RUN_ID}`) {
        const status = statuses.length > 1 ? statuses.shift() : statuses[0];
        const error =
          status === "failed" ? { code: "persist_failed", message: "It could not be stored." } : null;
        answerJson(response, 200, { status, error });
      } else if (request.url === `/api/scan-runs/${RUN_ID}/changes?against=previous`) {
        answerJson(response, 200, { scanRunId: RUN_ID, ...NO_CHANGES, ...options.changes });
      } else if (request.url === `/api/scan-runs/${RUN_ID}/broken-journeys`) {
        const { against } = NO_CHANGES;
        answerJson(response, 200, { scanRunId: RUN_ID, against, journeys: [], ...options.breaks });
      } else if (request.url === `/api/scan-runs/${RUN_ID}/promote` && request.method === "POST") {
        for (const run of runs.values()) run.promoted = true;
        answerJson(response, 200, { status: "completed", error: null });
      } else if (request.url.startsWith("/api/services?")) {
        answerJson(response, 200, { services: servicesOf(request.url, options) });
      } else if (request.url.includes("/change-approvals?") && options.approvals !== undefined) {
        const state = new URL(request.url, "http://api").searchParams.get("state");
        answerJson(response, 200, { approvals: options.approvals.filter((each) => each.state === state) });
      } else if (request.url === "/api/api-keys/self" && options.permissions !== undefined) {
        answerJson(response, 200, keyWith(options.permissions));
      } else {
        answerJson(response, 404, { error: { code: "not_found", message: `no route ${request.url}` } });
      }
    },
    options.describeRun ?? describeWith(options.current),
  );
  return { ...server, runs };
}

function servicesOf(url: string, { current }: FakeApiOptions): object[] {
  const name = new URL(url, "http://api").searchParams.get("name");
  const id = "019a0000-0000-7000-8000-000000000002";
  return current === undefined ? [] : [{ id, name, currentScanRunId: current.scanRunId }];
}

function keyWith(permissions: readonly string[]): object {
  const scopes = permissions.map((permission) => ({ permission }));
  const id = "019a0000-0000-7000-8000-000000000003";
  return { id, organizationId: id, name: "ci", prefix: "wmk_abc", scopes, expiresAt: null };
}

/** Gives the description of the current run to those that ask for it, and stores every other one. */
function describeWith(current: FakeApiOptions["current"]): Answer | undefined {
  if (current === undefined) return undefined;
  const path = `/api/scan-runs/${current.scanRunId}/description`;
  return (request, response) => {
    if (request.method === "PUT") answerJson(response, 201, {});
    else if (request.url !== path)
      answerJson(response, 404, { error: { code: "not_found", message: "no run" } });
    else if (current.description === "missing")
      answerJson(response, 404, { error: { code: "description_missing", message: "It has none." } });
    else
      response.writeHead(200, { "content-type": "application/yaml; charset=utf-8" }).end(current.description);
  };
}
