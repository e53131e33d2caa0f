import { PERMISSIONS } from "@waymark/shared/api-keys/schema.ts";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import type { RouteRequest } from "@waymark/test-support/key-suite/route-cases.ts";
import { createWorld, type KeySuiteWorld } from "@waymark/test-support/key-suite/world.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";

const UNKNOWN = "22222222-2222-4222-8222-222222222222";
const OTHER = "33333333-3333-4333-8333-333333333333";

/** Ids of the same kind: of this organization, unknown, and of another organization. */
interface Ids {
  run: string;
  service: string;
  key: string;
  serviceName: string;
}

let world: KeySuiteWorld;
let ids: Ids[];
/** A run of another service, which a test's key can read. */
let ownRun: { scanRunId: string; serviceId: string };
beforeAll(async () => {
  world = await createWorld();
  const { stack, strangers } = world;
  const theirs = await stack.http.post<ScanIngestionResult>(
    "/api/scans/ingest",
    scanPayload({ serviceName: "theirs" }),
    { key: strangers.apiKey },
  );
  const { body: theirKey } = await stack.http.get<{ id: string }>("/api/api-keys/self", {
    key: strangers.apiKey,
  });
  ownRun = (await ingest(stack, scanPayload({ serviceName: "ledger" }))).body;
  await waitForRun(stack, ownRun.scanRunId);
  ids = [
    {
      run: world.scanRunId,
      service: world.serviceId,
      key: world.apiKeyId,
      serviceName: world.serviceName,
    },
    { run: UNKNOWN, service: UNKNOWN, key: UNKNOWN, serviceName: "payments-unknown" },
    {
      run: theirs.body.scanRunId,
      service: theirs.body.serviceId,
      key: theirKey.id,
      serviceName: "theirs",
    },
  ];
});
afterAll(() => world[Symbol.asyncDispose]());

const get = (path: string): RouteRequest => ({ method: "GET", path });
const post = (path: string, body?: unknown): RouteRequest => ({ method: "POST", path, body });

const GATES = { gates: [{ gate: "--fail-on high", passed: true, causes: [], causeCount: 0 }] };

const ROUTES: Record<string, (of: Ids) => RouteRequest> = {
  getScanRun: ({ run }) => get(`/api/scan-runs/${run}`),
  listScanRunEndpoints: ({ run }) => get(`/api/scan-runs/${run}/endpoints`),
  listScanRunFindings: ({ run }) => get(`/api/scan-runs/${run}/findings`),
  getScanRunFinding: ({ run }) => get(`/api/scan-runs/${run}/findings/0`),
  getScanRunChanges: ({ run }) => get(`/api/scan-runs/${run}/changes`),
  getScanDescription: ({ run }) => get(`/api/scan-runs/${run}/description`),
  putScanDescription: ({ run }) => ({ method: "PUT", path: `/api/scan-runs/${run}/description`, body: {} }),
  getScanGates: ({ run }) => get(`/api/scan-runs/${run}/gates`),
  putScanGates: ({ run }) => ({ method: "PUT", path: `/api/scan-runs/${run}/gates`, body: GATES }),
  promoteScanRun: ({ run }) => post(`/api/scan-runs/${run}/promote`, {}),
  undoPromotion: ({ run }) => ({ method: "DELETE", path: `/api/scan-runs/${run}/promotion` }),
  getService: ({ service }) => get(`/api/services/${service}`),
  updateService: ({ service }) => ({ method: "PATCH", path: `/api/services/${service}`, body: {} }),
  listServiceScanRuns: ({ service }) => get(`/api/services/${service}/scan-runs`),
  listServiceEndpoints: ({ service }) => get(`/api/services/${service}/endpoints`),
  getApiKey: ({ key }) => get(`/api/api-keys/${key}?organizationId=${world.organizationId}`),
  revokeApiKey: ({ key }) => post(`/api/api-keys/${key}/revoke`),
  disableApiKey: ({ key }) => post(`/api/api-keys/${key}/disable`),
  enableApiKey: ({ key }) => post(`/api/api-keys/${key}/enable`),
  rotateApiKey: ({ key }) => post(`/api/api-keys/${key}/rotate`, { graceSeconds: 1 }),
  listAuditEvents: ({ key }) => get(`/api/audit-events?apiKeyId=${key}`),
  ingestScan: ({ serviceName }) => post("/api/scans/ingest", scanPayload({ serviceName })),
};

const SHAPES: [string, Record<string, unknown>[]][] = [
  ["serviceId", [{ serviceId: OTHER }]],
  ["serviceNames", [{ resourceConstraints: { serviceNames: ["orders-*"] } }]],
  ["resourceType", [{ resourceType: "nothing" }]],
  ["resourceId", [{ resourceId: OTHER }]],
  ["resourceType and resourceId of a service", [{ resourceType: "service", resourceId: OTHER }]],
  ["resourceType and resourceId of a key", [{ resourceType: "api_key", resourceId: OTHER }]],
  ["environmentId", [{ environmentId: OTHER }]],
  ["workflowId", [{ workflowId: OTHER }]],
  ["another constraint", [{ resourceConstraints: { serviceNames: ["*"], region: "eu" } }]],
  ["several scopes", [{ serviceId: OTHER }, { resourceType: "service", resourceId: OTHER }]],
];

const keyOf = (constraints: Record<string, unknown>[]) =>
  createKey(
    world.stack,
    PERMISSIONS.flatMap((permission) => constraints.map((constraint) => ({ permission, ...constraint }))),
  );

/** Everything by which a caller could distinguish two refusals. */
async function refusalOf({ method, path, body }: RouteRequest, key: string): Promise<string> {
  const answer = await world.stack.http.request(method, path, {
    key,
    ...(body === undefined ? {} : { body }),
  });
  const { requestId, ...error } = errorOf(answer);
  expect(requestId).toBe(answer.headers.get("x-request-id"));
  const headers = [...answer.headers].filter(
    ([name]) => !["date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"].includes(name),
  );
  return JSON.stringify({ error, headers });
}

describe.each(Object.entries(ROUTES))("the refusal of %s", (_operationId, request) => {
  it.each(SHAPES)(
    "is the same for what exists, what doesn't and what is another organization's, with scopes bound by %s",
    async (_name, constraints) => {
      const key = await keyOf(constraints);
      const refusals = [];
      for (const of of ids) refusals.push(await refusalOf(request(of), key));
      expect(refusals[0]).toContain('"status":403,"code":"permission_denied"');
      expect(refusals[1]).toBe(refusals[0]);
      expect(refusals[2]).toBe(refusals[0]);
      for (const constraint of constraints) {
        for (const name of Object.keys(constraint)) expect(refusals[0]).toContain(name);
      }
    },
  );
});

it.each(["serviceId", "serviceNames", "resourceId"])(
  "the refusal of a comparison is the same whatever `against` names, for a key bound by %s to its own service",
  async (shape) => {
    const bound: Record<string, Record<string, unknown>> = {
      serviceId: { serviceId: ownRun.serviceId },
      serviceNames: { resourceConstraints: { serviceNames: ["ledger"] } },
      resourceId: { resourceType: "service", resourceId: ownRun.serviceId },
    };
    const key = await keyOf([bound[shape] ?? {}]);
    const changes = `/api/scan-runs/${ownRun.scanRunId}/changes`;
    expect((await world.stack.http.get(changes, { key })).status).toBe(200);
    const refusals = [];
    for (const { run } of ids) refusals.push(await refusalOf(get(`${changes}?against=${run}`), key));
    expect(refusals[0]).toContain('"status":403');
    expect(refusals).toEqual([refusals[0], refusals[0], refusals[0]]);
  },
);
