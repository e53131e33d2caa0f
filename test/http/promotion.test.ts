import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

describe("promotion", () => {
  it("makes a run current that was stored without becoming current, and it stays current", async () => {
    const payload = (seed: string) => scanPayload({ serviceName: "gated", seed });
    const current = await ingest(stack, payload("1"));
    await waitForRun(stack, current.body.scanRunId);
    const held = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", payload("2"), {
      headers: { "waymark-promote": "false" },
    });
    const heldRun = await waitForRun(stack, held.body.scanRunId);
    expect(heldRun).toMatchObject({ promoted: false });
    const service = `/api/services/${current.body.serviceId}`;
    expect((await stack.http.get(service)).body).toMatchObject({
      currentScanRunId: current.body.scanRunId,
      lastHeldScan: { scanRunId: held.body.scanRunId, submittedAt: heldRun.createdAt },
    });

    for (let times = 0; times < 2; times++) {
      const answer = await stack.http.post(`/api/scan-runs/${held.body.scanRunId}/promote`);
      expect([answer.status, answer.body]).toMatchObject([200, { id: held.body.scanRunId, promoted: true }]);
      expect((await stack.http.get(service)).body).toMatchObject({
        currentScanRunId: held.body.scanRunId,
        lastHeldScan: null,
        findingsBySeverity: heldRun.findingsBySeverity,
      });
    }
  });

  it("never moves a service back: a scan made earlier stays behind a newer one", async () => {
    const now = await ingest(stack, scanPayload({ serviceName: "late", seed: "now" }));
    await waitForRun(stack, now.body.scanRunId);
    const late = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "late", seed: "an hour ago" }),
      { headers: { "scanned-at": new Date(Date.now() - 3_600_000).toISOString() } },
    );
    await waitForRun(stack, late.body.scanRunId);
    await stack.http.post(`/api/scan-runs/${late.body.scanRunId}/promote`);
    const service = await stack.http.get(`/api/services/${now.body.serviceId}`);
    expect(service.body).toMatchObject({ currentScanRunId: now.body.scanRunId });
  });

  it("is refused to a key that can only read", async () => {
    const { body } = await ingest(stack, scanPayload({}));
    const key = await createKey(stack, ["services:read", "endpoints:read"]);
    const answer = await stack.http.post(`/api/scan-runs/${body.scanRunId}/promote`, undefined, { key });
    expect(answer.status).toBe(403);
  });
});
