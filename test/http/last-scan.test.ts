import type { CreatedServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import type { SubmittedSource } from "@waymark/shared/scans/source/schema.ts";
import { sourceHeadersOf } from "@waymark/shared/scans/source/headers.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

let scans = 0;
async function scan(serviceName: string, source: SubmittedSource, { promote = false } = {}) {
  const { body } = await stack.http.post<{ scanRunId: string; serviceId: string }>(
    "/api/scans/ingest",
    scanPayload({ serviceName, seed: `${scans++}` }),
    { headers: { "waymark-promote": `${promote}`, ...sourceHeadersOf(source) } },
  );
  await waitForRun(stack, body.scanRunId);
  return body;
}

const MAIN: SubmittedSource = { kind: "branch", branch: "main", defaultBranch: "main" };

/** Returns what the service, the overview and the badge say of the last scan. */
async function statusOf(serviceId: string) {
  const { body: service } = await stack.http.get<Service>(`/api/services/${serviceId}`);
  const { body: overview } = await stack.http.get<Overview>("/api/overview");
  const concern = overview.concerns.find((one) => one.serviceId === serviceId);
  const { body: badge } = await stack.http.post<CreatedServiceBadge>(`/api/services/${serviceId}/badge`);
  const { pathname, search } = new URL(badge.url);
  const image = await stack.http.get(pathname + search, { key: null });
  return {
    held: service.lastHeldScan?.scanRunId,
    failed: service.lastFailedScan?.scanRunId,
    concern: concern?.kind,
    badge: /<title>API contract: (.*)<\/title>/.exec(image.text)?.[1],
  };
}

describe("the last scan of a service", () => {
  it.each<[string, SubmittedSource]>([
    ["a pull request", { kind: "pull_request", pullRequest: "812", branch: "main", defaultBranch: "main" }],
    ["a pull request of a client that names no build", { pullRequest: "812" }],
    ["another branch", { kind: "branch", branch: "feature/x", defaultBranch: "main" }],
    ["another branch of a client that names no build", { branch: "feature/x", defaultBranch: "main" }],
    ["a tag", { kind: "tag", branch: "main", defaultBranch: "main" }],
    ["a merge queue", { kind: "merge_queue", baseBranch: "main" }],
    ["a preview of the default branch", { kind: "preview", branch: "main", defaultBranch: "main" }],
    ["a fork", { kind: "fork", branch: "someone:main" }],
  ])("is not one of %s that was held", async (name, source) => {
    const { serviceId } = await scan(name, MAIN, { promote: true });
    const { scanRunId } = await scan(name, source);
    const passing = { held: undefined, failed: undefined, concern: undefined, badge: "passing" };
    expect(await statusOf(serviceId)).toMatchObject(passing);
    await query(
      stack,
      "UPDATE scan_runs SET status = 'failed', snapshot_id = NULL, completed_at = NULL, error_code = 'e', error_message = 'm' WHERE id = $1",
      [scanRunId],
    );
    expect(await statusOf(serviceId)).toMatchObject(passing);
  });

  it.each<[string, SubmittedSource]>([
    ["the default branch", MAIN],
    ["a branch, where nobody knows the default one", { kind: "branch", branch: "feature/x" }],
    ["an unknown branch", { kind: "branch", defaultBranch: "main" }],
    ["an unknown source", {}],
  ])("is one of %s that was held", async (name, source) => {
    const { serviceId } = await scan(name, MAIN, { promote: true });
    const { scanRunId } = await scan(name, source);
    await scan(name, { pullRequest: "813" });
    expect(await statusOf(serviceId)).toMatchObject({
      held: scanRunId,
      concern: "held",
      badge: "not promoted",
    });
  });

  it("is one of a pull request that was promoted", async () => {
    const { serviceId } = await scan("promoted", MAIN);
    await scan("promoted", { kind: "pull_request", pullRequest: "812" }, { promote: true });
    expect(await statusOf(serviceId)).toMatchObject({ held: undefined, badge: "passing" });
  });

  it("goes by the default branch that somebody set, not by the one that builds name", async () => {
    const { serviceId } = await scan("set", { ...MAIN, branch: "develop" }, { promote: true });
    const { scanRunId } = await scan("set", MAIN);
    expect(await statusOf(serviceId)).toMatchObject({ held: scanRunId });
    await stack.http.request("PATCH", `/api/services/${serviceId}`, { body: { defaultBranch: "develop" } });
    expect(await statusOf(serviceId)).toMatchObject({ held: undefined, badge: "passing" });
    const held = await scan("set", { ...MAIN, branch: "develop" });
    expect(await statusOf(serviceId)).toMatchObject({ held: held.scanRunId });
  });

  it("since the first held one of the default branch", async () => {
    const name = "since";
    const { serviceId } = await scan(name, MAIN, { promote: true });
    await scan(name, { pullRequest: "812" });
    const first = await scan(name, MAIN);
    await scan(name, { pullRequest: "812" });
    await scan(name, MAIN);
    const { createdAt } = (await stack.http.get<{ createdAt: string }>(`/api/scan-runs/${first.scanRunId}`))
      .body;
    const { concerns } = (await stack.http.get<Overview>("/api/overview")).body;
    expect(concerns.find((one) => one.serviceId === serviceId)).toMatchObject({
      kind: "held",
      since: createdAt,
    });
  });

  it("is none of a service that has only pull requests, and its default branch is the one that they name", async () => {
    const { serviceId } = await scan("new", {
      kind: "pull_request",
      pullRequest: "1",
      defaultBranch: "main",
    });
    expect(await statusOf(serviceId)).toMatchObject({ held: undefined, badge: "no scan yet" });
    expect((await stack.http.get(`/api/services/${serviceId}`)).body).toMatchObject({
      defaultBranch: "main",
    });
  });
});
