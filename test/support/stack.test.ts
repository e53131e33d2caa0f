import { describe, expect, test } from "vitest";
import { QUEUES, startProcessStack, waitForScanRun } from "./stack.ts";

const scan = {
  service: { name: "orders" },
  spec: { hash: "a".repeat(64), format: "openapi" },
  endpoints: [{ method: "GET", path: "/orders", operationId: null, tags: [], summary: null }],
  findings: [],
};

describe.each(QUEUES)("the real processes on the %s queue", (queue) => {
  test("a scan that is sent is completed, and the processes end cleanly", async () => {
    const stack = await startProcessStack({ queue });
    const sent = await stack.http.post<{ scanRunId: string }>("/api/scans/ingest", scan);
    expect(sent.status).toBe(201);
    const run = await waitForScanRun(stack.http, sent.body.scanRunId);
    expect(run).toMatchObject({ status: "completed", endpointCount: 1, findingCount: 0 });

    await stack[Symbol.asyncDispose]();
    await expect(stack.api.ended).resolves.toEqual({ code: 0, signal: null });
    await expect(stack.worker.ended).resolves.toEqual({ code: 0, signal: null });
  });
});
