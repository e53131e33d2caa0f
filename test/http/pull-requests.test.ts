import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScannedPullRequestList } from "@waymark/shared/services/pull-requests/schema.ts";
import { describedService, settledChanges } from "@waymark/test-support/described-service.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const ofPullRequest = (number: number) => ({
  "waymark-promote": "false",
  "waymark-branch": `topic-${number}`,
  "waymark-base-branch": "main",
  "waymark-pull-request": String(number),
  "waymark-build-kind": "pull_request",
});

async function list(search = "", key?: string) {
  const { body } = await stack.http.get<ScannedPullRequestList>(
    `/api/pull-requests${search}`,
    key === undefined ? {} : { key },
  );
  return body;
}

describe("the pull requests that were scanned lately", () => {
  it("are there once for each service, with what their last scan would break and the gates that failed", async () => {
    const { scan, payload } = describedService(stack, { endpointCount: 1 });
    const serviceName = payload.service.name;
    await scan({ headers: { "waymark-branch": "main", "waymark-default-branch": "main" } });
    await settledChanges(stack, await scan({ headers: ofPullRequest(7) }));
    const undescribed = await scan({ headers: ofPullRequest(8), isDescribed: false });
    const last = await scan({ required: ["page"], headers: ofPullRequest(7) });
    await settledChanges(stack, last);
    const gates = [{ gate: "--fail-on-breaking", passed: false, causes: [], causeCount: 1 }];
    await stack.http.request("PUT", `/api/scan-runs/${last}/gates`, { body: { gates } });

    const own = (await list()).pullRequests.filter((one) => one.serviceName === serviceName);
    expect(own).toMatchObject([
      {
        pullRequest: "7",
        scanRunId: last,
        source: { branch: "topic-7", baseBranch: "main" },
        ownerTeam: null,
        failedGates: ["--fail-on-breaking"],
        comparison: { status: "compared", counts: { breaking: 1 } },
      },
      {
        pullRequest: "8",
        scanRunId: undescribed,
        failedGates: [],
        comparison: { status: "not_compared", reason: "no_description", counts: null },
      },
    ]);
    expect((await list()).count).toBe((await list()).pullRequests.length);

    // Merged, and too old.
    await stack.http.post(`/api/scan-runs/${last}/promote`);
    await query(stack, "UPDATE scan_runs SET ordered_at = ordered_at - interval '8 days' WHERE id = $1", [
      undescribed,
    ]);
    expect((await list()).pullRequests.filter((one) => one.serviceName === serviceName)).toEqual([]);
  });

  it("are those of the services that a key may read, and of no other organization", async () => {
    const [first, second] = [describedService(stack), describedService(stack)];
    await first.scan({ headers: ofPullRequest(1) });
    await second.scan({ headers: ofPullRequest(2) });
    const [seen, other] = [first, second].map(({ payload }) => payload.service.name);
    const scope = { permission: "endpoints:read", resourceConstraints: { serviceNames: [seen ?? ""] } };
    const { pullRequests, count } = await list("", await createKey(stack, [scope]));
    expect(pullRequests.map(({ serviceName }) => serviceName)).toEqual([seen]);
    expect(count).toBe(1);
    expect((await list()).pullRequests.map(({ serviceName }) => serviceName)).toContain(other);
    expect((await list("?owner=none")).count).toBeGreaterThan(1);
    expect(await list("?label=tier%3D7")).toEqual({ pullRequests: [], count: 0 });
    const { apiKey } = await createHostedOrganization(stack.databaseUrl, "Others");
    expect(await list("", apiKey)).toEqual({ pullRequests: [], count: 0 });
  });
});
