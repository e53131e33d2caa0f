import type { ScanIngestionResult, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { Service, ServiceChange } from "@waymark/shared/services/schema.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

it("the time of a scan has one name and value in its run, its service, the changes and the trend", async () => {
  const scannedAt = "2026-01-31T12:00:00.000Z";
  const { body } = await stack.http.post<ScanIngestionResult>(
    "/api/scans/ingest",
    scanPayload({ serviceName: "late", endpoints: 2 }),
    { headers: { "scanned-at": scannedAt } },
  );
  const run = await waitForRun(stack, body.scanRunId);
  expect(run).toMatchObject({ createdAt: body.createdAt, scannedAt });
  expect(run.createdAt > scannedAt).toBe(true);
  const { serviceId } = body;
  const { body: service } = await stack.http.get<Service>(`/api/services/${serviceId}`);
  expect(service.lastScannedAt).toBe(scannedAt);
  const listed = await stack.http.get<{ services: Service[] }>("/api/services?name=late&trend=1");
  expect(listed.body.services[0]?.trend).toMatchObject([{ scannedAt }]);
  const changes = await stack.http.get<{ changes: ServiceChange[] }>(`/api/services/${serviceId}/changes`);
  expect(changes.body.changes).toMatchObject([{ scanRunId: run.id, scannedAt }]);
  const runs = await stack.http.get<{ scanRuns: ScanRun[] }>(`/api/services/${serviceId}/scan-runs`);
  expect(runs.body.scanRuns).toMatchObject([{ createdAt: run.createdAt, scannedAt }]);
});

it("a scan without Scanned-At, or with a later one, has the time when it was received", async () => {
  for (const headers of [{}, { "scanned-at": "2999-01-01T00:00:00Z" }]) {
    const { body } = await stack.http.post<ScanIngestionResult>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "received", endpoints: 2 }),
      { headers },
    );
    const run = await waitForRun(stack, body.scanRunId);
    expect(run.scannedAt).toBe(run.createdAt);
  }
});
