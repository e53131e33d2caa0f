import { randomUUID } from "node:crypto";
import type { ChangeApproval } from "@waymark/shared/scans/approvals/schema.ts";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { describedService, settledChanges } from "@waymark/test-support/described-service.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { type StoredUser, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
let ada: StoredUser;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
  ada = await storeUser(stack, { displayName: "Ada", roles: ["developer"] });
});
afterAll(() => stack[Symbol.asyncDispose]());

const owner = () => ({ type: "user", id: ada.id, displayName: "Ada" });
const asAda = () => createHttpClient(stack.api.baseUrl, { key: ada.rawKey });

describe("who decided", () => {
  it("about a finding is a person by name, without the address, and nobody for a key that belongs to nobody", async () => {
    const code = randomUUID();
    const finding = { method: "GET" as const, path: "/pets", message: "is odd" };
    const findings = [{ code, severity: "high" as const, ...finding }];
    const payload = { ...scanPayload({ serviceName: randomUUID(), endpoints: 1 }), findings };
    const { body } = await ingest(stack, payload);
    await waitForRun(stack, body.scanRunId);
    const decide = (http: Stack["http"], more: object) =>
      http.post<FindingDecision>("/api/finding-decisions", {
        kind: "wont_fix",
        serviceId: body.serviceId,
        code,
        reason: "known",
        ...more,
      });
    expect((await decide(asAda(), { finding })).body.decider).toEqual(owner());
    expect((await decide(stack.http, {})).body.decider).toBeNull();
    const list = await stack.http.get<{ decisions: FindingDecision[] }>(
      `/api/finding-decisions?code=${code}`,
    );
    expect(list.body.decisions.map(({ decider }) => decider)).toEqual([null, owner()]);
    const path = `/api/scan-runs/${body.scanRunId}/findings`;
    const ofRun = await stack.http.get<{ findings: { decision: FindingDecision | null }[] }>(path);
    expect(ofRun.body.findings.map(({ decision }) => decision?.decider)).toEqual([owner()]);
    for (const { text } of [list, ofRun]) expect(text).not.toContain("@example.com");
  });

  it("that a change is approved is a person by name, in the list and with the change", async () => {
    const { scan } = describedService(stack, { endpointCount: 1 });
    await scan();
    const run = await scan({ required: ["a"], headers: { "waymark-promote": "false" } });
    const { verdicts } = await settledChanges(stack, run);
    const { body } = await stack.http.get<{ serviceId: string }>(`/api/scan-runs/${run}`);
    const path = `/api/services/${body.serviceId}/change-approvals`;
    const fingerprints = verdicts.map(({ fingerprint }) => fingerprint);
    const request = { fingerprints, reason: "agreed", scanRunId: run };
    const approved = await asAda().post<{ approvals: ChangeApproval[] }>(path, request);
    expect(approved.body.approvals.map(({ approver }) => approver)).toEqual([owner()]);
    const list = await stack.http.get<{ approvals: ChangeApproval[] }>(path);
    expect(list.body.approvals.map(({ approver }) => approver)).toEqual([owner()]);
    const changes = await settledChanges(stack, run);
    expect(changes.verdicts.map(({ approval }) => approval?.approver)).toEqual([owner()]);
    expect(JSON.stringify([list.body, changes])).not.toContain("@example.com");
  });
});
