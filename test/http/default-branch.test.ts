import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Stores a scan whose build names a default branch. */
async function scan(serviceName: string, defaultBranch: string | undefined, { promote = true } = {}) {
  const { body } = await stack.http.post<ScanIngestionResult>(
    "/api/scans/ingest",
    scanPayload({ serviceName, seed: randomUUID() }),
    {
      headers: {
        "waymark-promote": String(promote),
        ...(defaultBranch !== undefined && { "waymark-default-branch": encodeURIComponent(defaultBranch) }),
      },
    },
  );
  await waitForRun(stack, body.scanRunId);
  return body.serviceId;
}

async function branchOf(serviceId: string) {
  const { defaultBranch, defaultBranchIsSet } = (await stack.http.get<Service>(`/api/services/${serviceId}`))
    .body;
  return [defaultBranch, defaultBranchIsSet ? "set" : "learned"];
}

const patch = (serviceId: string, body: unknown, key = stack.apiKey) =>
  stack.http.request<Service>("PATCH", `/api/services/${serviceId}`, { body, key });
const events = async (serviceId: string) => {
  const answer = await stack.http.get<{ auditEvents: { details: Record<string, unknown> }[] }>(
    "/api/audit-events?action=service.updated",
  );
  return answer.body.auditEvents
    .map(({ details }) => details)
    .filter((details) => details["serviceId"] === serviceId);
};

describe("the default branch of a service", () => {
  it("is that of its current run, else of its last scan, until somebody sets it", async () => {
    const id = await scan("learned", undefined);
    expect(await branchOf(id)).toEqual([null, "learned"]);
    await scan("learned", "trunk", { promote: false });
    expect(await branchOf(id)).toEqual(["trunk", "learned"]);
    await scan("learned", "größe");
    // The run of a branch doesn't change what the current run says.
    await scan("learned", "mine", { promote: false });
    expect(await branchOf(id)).toEqual(["größe", "learned"]);
    // The default branch of the repository was renamed.
    await scan("learned", "main");
    expect(await branchOf(id)).toEqual(["main", "learned"]);
  });

  it("stays as it was set, whatever scans say, until that is taken back", async () => {
    const id = await scan("set", "main");
    expect((await patch(id, { defaultBranch: "release/1.x" })).body).toMatchObject({
      defaultBranch: "release/1.x",
      defaultBranchIsSet: true,
    });
    await scan("set", "develop");
    expect(await branchOf(id)).toEqual(["release/1.x", "set"]);
    const list = await stack.http.get("/api/services?name=set");
    expect(list.body).toMatchObject({
      services: [{ defaultBranch: "release/1.x", defaultBranchIsSet: true }],
    });
    expect((await patch(id, { defaultBranch: null })).body).toMatchObject({
      defaultBranch: "develop",
      defaultBranchIsSet: false,
    });
  });

  it("is recorded in the audit record where it changes, and only there", async () => {
    const id = await scan("audited", "main");
    for (const body of [{ defaultBranch: "main" }, { defaultBranch: "main" }, {}, { defaultBranch: null }])
      expect((await patch(id, body)).status).toBe(200);
    expect((await events(id)).toReversed()).toEqual([
      { serviceId: id, defaultBranch: "main" },
      { serviceId: id, defaultBranch: null },
    ]);
  });

  it("refuses no scan: a run of another branch becomes current if its client wants that", async () => {
    const id = await scan("not decided here", "main");
    await patch(id, { defaultBranch: "main" });
    const { body } = await stack.http.post<ScanIngestionResult>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "not decided here", seed: randomUUID() }),
      { headers: { "waymark-branch": "feature" } },
    );
    await waitForRun(stack, body.scanRunId);
    const service = await stack.http.get<Service>(`/api/services/${id}`);
    expect(service.body.currentScanRunId).toBe(body.scanRunId);
  });

  it("is set by services:update, and by no less", async () => {
    const id = await scan("permitted", "main");
    const reader = await createKey(stack, ["services:read"]);
    expect((await patch(id, { defaultBranch: "x" }, reader)).status).toBe(403);
    const updater = await createKey(stack, ["services:update"]);
    expect((await patch(id, { defaultBranch: "x" }, updater)).status).toBe(200);
    expect((await patch(randomUUID(), { defaultBranch: "x" })).status).toBe(404);
  });

  it.each([
    ["an empty name", { defaultBranch: "" }, "defaultBranch"],
    ["a line break", { defaultBranch: "a\nb" }, "defaultBranch"],
    ["a NUL", { defaultBranch: "a\0" }, "defaultBranch"],
    ["a long name", { defaultBranch: "x".repeat(501) }, "defaultBranch"],
    ["a number", { defaultBranch: 5 }, "defaultBranch"],
    ["another field", { title: "x" }, ""],
  ])("is not %s", async (_, body, path) => {
    const id = await scan("refused", "main");
    const { status, body: answer } = await patch(id, body);
    const { error } = answer as unknown as { error: { details: { path: string }[] } };
    expect([status, error.details[0]?.path]).toEqual([400, path]);
  });
});
