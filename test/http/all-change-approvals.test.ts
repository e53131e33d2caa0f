import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  APPROVAL_LIMITS,
  type ChangeApproval,
  type ServiceChangeApproval,
} from "@waymark/shared/scans/approvals/schema.ts";
import type { Team } from "@waymark/shared/principals/teams/schema.ts";
import { describedService, settledChanges } from "@waymark/test-support/described-service.ts";
import { descriptionOf } from "@waymark/test-support/descriptions.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const FINGERPRINT = "0".repeat(31);

/** A service with an approval of the breaking change of a pull request, and the key that gave it. */
async function approvedService({ scopes = ["*"] }: { scopes?: string[] } = {}) {
  const { scan } = describedService(stack, { endpointCount: 1 });
  await scan();
  const headers = { "waymark-promote": "false", "waymark-pull-request": "812" };
  const scanRunId = await scan({ required: ["a"], headers });
  const { verdicts } = await settledChanges(stack, scanRunId);
  const run = await stack.http.get<{ serviceId: string; serviceName: string }>(`/api/scan-runs/${scanRunId}`);
  const { serviceId, serviceName } = run.body;
  const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, scopes) });
  const approve = (body: object) =>
    http.post<{ approvals: ChangeApproval[] }>(`/api/services/${serviceId}/change-approvals`, {
      fingerprints: verdicts.map(({ fingerprint }) => fingerprint),
      reason: "agreed",
      ...body,
    });
  return { serviceId, serviceName, scanRunId, verdicts, approve };
}

async function list(search = "", http = stack.http) {
  const path = `/api/change-approvals${search}`;
  const { status, body } = await http.get<{ approvals: ServiceChangeApproval[]; nextCursor?: string }>(path);
  expect(status).toBe(200);
  return body;
}

describe("the approvals of all services", () => {
  it("say which change they are for, of which service, and for which pull request", async () => {
    const { serviceId, serviceName, scanRunId, verdicts, approve } = await approvedService();
    const [verdict] = verdicts;
    const made = await approve({ scanRunId, until: "2999-12-31" });
    const change = {
      id: verdict?.id,
      level: "breaking",
      message: verdict?.message,
      operations: verdict?.operations,
      operationCount: verdict?.operationCount,
    };
    expect(made.body.approvals).toMatchObject([{ fingerprint: verdict?.fingerprint, change }]);
    const { approvals } = await list(`?serviceId=${serviceId}`);
    expect(approvals).toEqual([
      { ...made.body.approvals[0], serviceId, serviceName, ownerTeam: null, pullRequest: "812" },
    ]);
    expect((await list(`?serviceName=${serviceName}`)).approvals).toEqual(approvals);
    expect((await list(`?serviceName=${serviceName}&serviceId=${randomUUID()}`)).approvals).toEqual([]);
  });

  it("keep the change when an approval is given again without a run, and know none of what was never compared", async () => {
    const { serviceId, scanRunId, verdicts, approve } = await approvedService();
    await approve({ scanRunId });
    await approve({ reason: "agreed with all clients" });
    await approve({ fingerprints: [`${FINGERPRINT}1`] });
    expect((await list(`?serviceId=${serviceId}`)).approvals).toMatchObject([
      { change: null, pullRequest: null },
      { change: { message: verdicts[0]?.message }, reason: "agreed with all clients", pullRequest: null },
    ]);
  });

  it("keep the first operations of a change that many operations have, and say how many these are", async () => {
    const count = APPROVAL_LIMITS.operationsMax + 2;
    const { payload, scan } = describedService(stack, { endpointCount: count });
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Order" } } };
    const scanWith = async (required: readonly string[]) => {
      const scanRunId = await scan({ isDescribed: false });
      const order = { type: "object", required, properties: { id: { type: "string" } } };
      const body = descriptionOf(payload.endpoints, { components: { schemas: { Order: order } } });
      for (const item of Object.values(body.paths))
        for (const operation of Object.values(item))
          Object.assign(operation, { responses: { 200: { description: "An order.", content } } });
      await stack.http.request("PUT", `/api/scan-runs/${scanRunId}/description`, { body });
      return scanRunId;
    };
    await scanWith(["id"]);
    const scanRunId = await scanWith([]);
    const [verdict] = (await settledChanges(stack, scanRunId)).verdicts;
    expect(verdict?.operations).toHaveLength(count);
    const run = await stack.http.get<{ serviceId: string }>(`/api/scan-runs/${scanRunId}`);
    const made = await stack.http.post<{ approvals: ChangeApproval[] }>(
      `/api/services/${run.body.serviceId}/change-approvals`,
      { fingerprints: [verdict?.fingerprint], reason: "agreed", scanRunId },
    );
    expect(made.body.approvals[0]?.change).toMatchObject({
      operations: verdict?.operations.slice(0, APPROVAL_LIMITS.operationsMax),
      operationCount: count,
    });
  });

  it("show a change to nobody who may approve it and not read it", async () => {
    const { serviceId, scanRunId, approve } = await approvedService({ scopes: ["changes:approve"] });
    expect((await approve({ scanRunId })).body.approvals).toMatchObject([{ change: null }]);
    expect((await list(`?serviceId=${serviceId}`)).approvals).toMatchObject([
      { change: { level: "breaking" } },
    ]);
  });

  it("are listed newest first, in pages, by state, and by owner and label of the services", async () => {
    const [first, second] = [await approvedService(), await approvedService()];
    for (const { approve, serviceId } of [first, second]) {
      for (const end of ["1", "2", "3"]) await approve({ fingerprints: [FINGERPRINT + end] });
      await query(
        stack,
        "UPDATE change_approvals SET until = '2020-01-01' WHERE service_id = $1 AND fingerprint = $2",
        [serviceId, `${FINGERPRINT}1`],
      );
      await query(
        stack,
        `UPDATE change_approvals SET used_by_run_id = (SELECT id FROM scan_runs WHERE service_id = $1 LIMIT 1)
         WHERE service_id = $1 AND fingerprint = $2`,
        [serviceId, `${FINGERPRINT}2`],
      );
    }
    const ends = async (search: string) =>
      (await list(search)).approvals
        .filter(({ serviceId }) => [first.serviceId, second.serviceId].includes(serviceId))
        .map(
          ({ serviceId, fingerprint }) => (serviceId === first.serviceId ? "a" : "b") + fingerprint.slice(-1),
        );
    expect(await ends("?limit=200")).toEqual(["b3", "b2", "b1", "a3", "a2", "a1"]);
    expect(await ends("?limit=200&state=open")).toEqual(["b3", "a3"]);
    expect(await ends("?limit=200&state=used")).toEqual(["b2", "a2"]);
    expect(await ends("?limit=200&state=expired")).toEqual(["b1", "a1"]);
    const { approvals, nextCursor } = await list("?limit=2&state=expired");
    expect(approvals.map(({ serviceId }) => serviceId)).toEqual([second.serviceId, first.serviceId]);
    expect(nextCursor).toBeUndefined();
    const firstPage = await list("?limit=1&state=expired");
    const secondPage = await list(`?limit=1&state=expired&cursor=${firstPage.nextCursor}`);
    expect([...firstPage.approvals, ...secondPage.approvals]).toEqual(approvals);

    const slug = `t${randomUUID()}`.slice(0, 30);
    const team = await stack.http.post<Team>("/api/teams", { slug, displayName: "Orders" });
    await stack.http.request("PATCH", `/api/services/${first.serviceId}`, {
      body: { ownerTeam: slug, labels: { tier: slug } },
    });
    expect(await ends(`?owner=${slug}`)).toEqual(["a3", "a2", "a1"]);
    expect(await ends(`?label=tier=${slug}`)).toEqual(["a3", "a2", "a1"]);
    const [owned] = (await list(`?owner=${slug}`)).approvals;
    expect(owned?.ownerTeam).toEqual({ id: team.body.id, slug, displayName: "Orders" });
  });
});

it("approvals are listed by any name of a service, also of an archived one", async () => {
  const { serviceId, serviceName, scanRunId, approve } = await approvedService();
  await approve({ scanRunId });
  const name = randomUUID();
  await stack.http.request("PATCH", `/api/services/${serviceId}`, { body: { name, archived: true } });
  for (const [search, count] of [
    [`serviceName=${name}`, 1],
    [`serviceName=${serviceName}`, 1],
    [`serviceName=${serviceName}&serviceId=${serviceId}`, 1],
    [`serviceName=${serviceName}&serviceId=${randomUUID()}`, 0],
    [`serviceName=${randomUUID()}`, 0],
  ] as const)
    expect((await list(`?${search}`)).approvals.map((one) => one.serviceId)).toEqual(
      Array.from({ length: count }, () => serviceId),
    );
});

describe("a key", () => {
  it("that is limited to a service sees the approvals of that service only, also by another one's name or id", async () => {
    const [own, other] = [await approvedService(), await approvedService()];
    for (const { approve, scanRunId } of [own, other]) await approve({ scanRunId });
    const scope = { permission: "endpoints:read", serviceId: own.serviceId };
    const http = createHttpClient(stack.api.baseUrl, { key: await createKey(stack, [scope]) });
    const seen = async (search: string) =>
      (await list(search, http)).approvals.map(({ serviceId }) => serviceId);
    expect(await seen("")).toEqual([own.serviceId]);
    expect(await seen(`?serviceId=${other.serviceId}`)).toEqual([]);
    expect(await seen(`?serviceName=${other.serviceName}`)).toEqual([]);
    expect(await seen("?owner=none")).toEqual([own.serviceId]);
  });

  it("of another organization sees none", async () => {
    const { approve, serviceId } = await approvedService();
    await approve({});
    const stranger = await createHostedOrganization(stack.databaseUrl);
    const http = createHttpClient(stack.api.baseUrl, { key: stranger.apiKey });
    expect((await list("", http)).approvals).toEqual([]);
    expect((await list(`?serviceId=${serviceId}`, http)).approvals).toEqual([]);
  });
});

describe("the decisions about findings", () => {
  it("are listed by the owner of their service, with those for every service", async () => {
    const { serviceId } = await approvedService();
    const code = randomUUID();
    const slug = `t${randomUUID()}`.slice(0, 30);
    await stack.http.post<Team>("/api/teams", { slug, displayName: "Pets" });
    await stack.http.request("PATCH", `/api/services/${serviceId}`, { body: { ownerTeam: slug } });
    const other = await approvedService();
    for (const id of [serviceId, other.serviceId, null])
      await stack.http.post("/api/finding-decisions", { kind: "wont_fix", serviceId: id, code, reason: "r" });
    const path = `/api/finding-decisions?code=${code}&owner=${slug}`;
    const { body } = await stack.http.get<{ decisions: { serviceId: string | null }[] }>(path);
    expect(body.decisions.map((each) => each.serviceId)).toEqual([null, serviceId]);
  });
});
