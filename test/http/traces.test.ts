import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OtlpCollector, startOtlpCollector } from "@waymark/test-support/otlp-collector.ts";
import { emptyQueue } from "@waymark/test-support/queue.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack, startWorker } from "@waymark/test-support/stack.ts";
import { query } from "@waymark/test-support/sql.ts";

const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

describe("the trace of a scan", () => {
  let collector: OtlpCollector;
  let stack: Stack;
  let env: Record<string, string>;
  beforeAll(async () => {
    collector = await startOtlpCollector();
    env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, WORKER_RECONCILE_MS: "300" };
    stack = await startStack({ apiEnv: env, workerEnv: env });
  });
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  const spanOf = (name: string, scanRunId: string) =>
    collector.waitFor((span) => span.name === name && span.attributes["waymark.scan_run_id"] === scanRunId);

  it("leads from the caller's request through the api to the worker's rows", async () => {
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    const { body } = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "traced" }),
      { headers: { traceparent } },
    );
    const request = await spanOf("POST /api/scans/ingest", body.scanRunId);
    expect(request).toMatchObject({
      service: "waymark-api",
      traceId: CALLER.traceId,
      parentSpanId: CALLER.spanId,
      attributes: { "http.route": "/api/scans/ingest", "waymark.ingest_path": "new" },
    });
    expect(Number(request.attributes["http.response.status_code"])).toBe(201);
    const within = { traceId: CALLER.traceId, parentSpanId: request.spanId };
    expect(await spanOf("announce scan run", body.scanRunId)).toMatchObject({
      service: "waymark-api",
      ...within,
    });
    const persisted = await spanOf("persist scan run", body.scanRunId);
    expect(persisted).toMatchObject({ service: "waymark-worker", ...within });

    const batch = await collector.waitFor((span) => span.name === "persist batch");
    expect(batch.traceId).not.toBe(CALLER.traceId);
    expect(persisted.links).toEqual([
      expect.objectContaining({ traceId: batch.traceId, spanId: batch.spanId }),
    ]);
    expect(batch.links).toEqual([
      expect.objectContaining({ traceId: CALLER.traceId, spanId: request.spanId }),
    ]);
  });

  it("reaches the worker although the queue lost the run and the reconciler found it", async () => {
    await stack.worker.stop();
    const { body } = await ingest(stack, scanPayload({ serviceName: "lost", seed: "lost" }));
    await emptyQueue(stack);
    stack.worker = await startWorker({ ...stack, env });
    await waitForRun(stack, body.scanRunId);
    const request = await spanOf("POST /api/scans/ingest", body.scanRunId);
    expect(await spanOf("persist scan run", body.scanRunId)).toMatchObject({
      service: "waymark-worker",
      traceId: request.traceId,
      parentSpanId: request.spanId,
    });
  });

  it("holds no key and no organization", async () => {
    await stack.http.get("/api/services");
    await collector.waitFor((span) => span.name === "GET /api/services");
    const all = JSON.stringify(collector.spans());
    expect(all).not.toContain("wmk_");
    expect(all).not.toContain(stack.organizationId);
  });

  it("of a run that the caller chose not to record is kept nowhere", async () => {
    const traceparent = "00-11111111111111111111111111111111-2222222222222222-00";
    await stack.worker.stop();
    const { body } = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "unrecorded", seed: "u" }),
      { headers: { traceparent } },
    );
    expect(
      await query(stack, "SELECT trace_parent FROM scan_payloads WHERE scan_run_id = $1", [body.scanRunId]),
    ).toEqual([{ trace_parent: null }]);
    stack.worker = await startWorker({ ...stack, env });
    expect(await waitForRun(stack, body.scanRunId)).toMatchObject({ status: "completed" });
  });
});
