import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OtlpCollector, startOtlpCollector } from "@waymark/test-support/otlp-collector.ts";
import { startJourneyTarget, thingsJourney } from "@waymark/test-support/journey-target.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { emptyQueue } from "@waymark/test-support/queue.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type ProcessStack, startProcessStack, startWorkerProcess } from "@waymark/test-support/stack.ts";
import { query } from "@waymark/test-support/sql.ts";

const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

describe("the trace of a scan", () => {
  let collector: OtlpCollector;
  let stack: ProcessStack;
  let env: Record<string, string>;
  beforeAll(async () => {
    collector = await startOtlpCollector();
    env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, WORKER_RECONCILE_MS: "300" };
    stack = await startProcessStack({ apiEnv: env, workerEnv: env });
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
    stack.worker = await startWorkerProcess({ ...stack, env });
    await waitForRun(stack, body.scanRunId);
    const request = await spanOf("POST /api/scans/ingest", body.scanRunId);
    expect(await spanOf("persist scan run", body.scanRunId)).toMatchObject({
      service: "waymark-worker",
      traceId: request.traceId,
      parentSpanId: request.spanId,
    });
  });

  it("contains no key and no organization", async () => {
    await stack.http.get("/api/services");
    await collector.waitFor((span) => span.name === "GET /api/services");
    const all = JSON.stringify(collector.spans());
    expect(all).not.toContain("wmk_");
    expect(all).not.toContain(stack.organizationId);
  });

  it("of a run that the caller's sampling excludes is not recorded", async () => {
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
    stack.worker = await startWorkerProcess({ ...stack, env });
    expect(await waitForRun(stack, body.scanRunId)).toMatchObject({ status: "completed" });
  });
});

describe("the trace of a journey", () => {
  it("leads from the caller's request to each step that the worker carried out", async () => {
    await using collector = await startOtlpCollector();
    await using target = await startJourneyTarget();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    const forJourneys = { WORKER_ROLES: "journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` };
    await using stack = await startProcessStack({ apiEnv: env, workerEnv: { ...env, ...forJourneys } });
    for (const [path, text] of Object.entries(thingsJourney({ events: 1 })))
      await storeDocument(stack, { path, text });
    const environment = await stack.http.post<{ id: string }>("/api/environments", {
      name: "traced",
      servers: { things: target.url },
    });
    const { body } = await stack.http.post<{ runId: string }>(
      "/api/journey-runs",
      { path: "things.journey.yaml", environmentId: environment.body.id, inputs: { run: "r" } },
      { headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` } },
    );

    const spanOf = (name: string) =>
      collector.waitFor(
        (span) => span.name === name && span.attributes["waymark.journey_run_id"] === body.runId,
      );
    const request = await spanOf("POST /api/journey-runs");
    expect(request).toMatchObject({ service: "waymark-api", traceId: CALLER.traceId });
    expect(request.parentSpanId).toBe(CALLER.spanId);
    expect(await spanOf("announce journey run")).toMatchObject({
      service: "waymark-api",
      traceId: CALLER.traceId,
      parentSpanId: request.spanId,
    });
    const run = await spanOf("run journey");
    expect(run).toMatchObject({
      service: "waymark-worker",
      traceId: CALLER.traceId,
      parentSpanId: request.spanId,
      attributes: { "waymark.journey_run_status": "passed" },
    });
    const steps = () => collector.spans().filter((span) => span.parentSpanId === run.spanId);
    await expect
      .poll(() => steps().map(({ name, attributes }) => [name, attributes["waymark.step_id"]]))
      .toEqual(["create", "add0", "read", "remove"].map((id) => ["journey step", id]));
    expect(steps()[0]?.attributes).toMatchObject({
      "waymark.step_status": "passed",
      "waymark.phase": "main",
    });
    expect(JSON.stringify(collector.spans())).not.toContain(stack.organizationId);
  });
});
