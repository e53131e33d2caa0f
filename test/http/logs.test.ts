import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

describe("the logs", () => {
  let stack: Stack;
  beforeAll(async () => {
    const env = { LOG_LEVEL: "trace" };
    stack = await startStack({ apiEnv: env, workerEnv: env });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it("lead from a request's id to its run, and by the run's id to the worker's lines", async () => {
    const answer = await ingest(stack, scanPayload({ serviceName: "followed" }));
    const { scanRunId } = answer.body;
    await waitForRun(stack, scanRunId);

    const requestId = answer.headers.get("x-request-id");
    // A line is written when its answer is out already.
    await expect
      .poll(() => stack.api.logLines().filter((line) => line["reqId"] === requestId))
      .toEqual([expect.objectContaining({ scanRunId, status: 201, path: "new", msg: "request" })]);
    const persisted = () =>
      stack.worker.logLines().filter((line) => JSON.stringify(line).includes(scanRunId));
    await expect
      .poll(persisted)
      .toEqual([expect.objectContaining({ msg: "scan runs persisted", scanRunIds: [scanRunId] })]);
  });

  it("say with which code a request was refused", async () => {
    const answer = await stack.http.get("/api/services", { key: null });
    const requestId = answer.headers.get("x-request-id");
    await expect
      .poll(() => stack.api.logLines().filter((line) => line["reqId"] === requestId))
      .toEqual([expect.objectContaining({ status: 401, code: "missing_credentials" })]);
  });

  it("never show a key, wherever the client puts it", async () => {
    const { apiKey, http } = stack;
    const secret = apiKey.slice(apiKey.lastIndexOf("_") + 1);
    const basic = Buffer.from(`user:${apiKey}`).toString("base64");
    const payload = scanPayload({ serviceName: "secrets" });
    await http.get(`/api/services?apiKey=${apiKey}&authorization=Bearer%20${apiKey}`);
    await http.get(`/api/scan-runs/${apiKey}`);
    await http.get(`/${apiKey}/nowhere`, { headers: { cookie: `session=${apiKey}`, "x-api-key": apiKey } });
    await http.get("/api/services", { key: null, headers: { authorization: `Basic ${basic}` } });
    await http.get("/api/services", { key: `${apiKey}x` });
    await http.post("/api/scans/ingest", `{"authorization":"Bearer ${apiKey}"`);
    await http.post("/api/scans/ingest", { ...payload, [apiKey]: apiKey });
    await http.post("/api/scans/ingest", payload, {
      headers: { "idempotency-key": apiKey, traceparent: apiKey },
    });
    await http.post("/api/scans/ingest", payload, { headers: { "scanned-at": apiKey } });

    const lineOf = (text: string) => stack.api.output().includes(text);
    await expect.poll(() => lineOf("header scanned-at") || lineOf('"status":400')).toBe(true);
    const output = stack.api.output() + stack.worker.output();
    expect(stack.api.logLines().length).toBeGreaterThan(8);
    expect(output).not.toContain(secret);
    expect(output).not.toContain(basic);
  });
});
