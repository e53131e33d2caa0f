import { generateBadgeToken } from "@waymark/server/services/badges/badge-token.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpResponse } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type ProcessStack, startProcessStack } from "@waymark/test-support/stack.ts";

describe("the logs", () => {
  let stack: ProcessStack;
  beforeAll(async () => {
    const env = { LOG_LEVEL: "trace" };
    stack = await startProcessStack({ apiEnv: env, workerEnv: env });
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

  it("contain the error code of a refused request", async () => {
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
    const post = (body: unknown, headers = {}) => http.post("/api/scans/ingest", body, { headers });
    await expectLogged([
      await http.get(`/api/services?apiKey=${apiKey}&authorization=Bearer%20${apiKey}`),
      await http.get(`/api/scan-runs/${apiKey}`),
      await http.get(`/${apiKey}/nowhere`, { headers: { cookie: `session=${apiKey}`, "x-api-key": apiKey } }),
      await http.get("/api/services", { key: null, headers: { authorization: `Basic ${basic}` } }),
      await http.get("/api/services", { key: `${apiKey}x` }),
      await post(`{"authorization":"Bearer ${apiKey}"`),
      await post({ ...payload, [apiKey]: apiKey }),
      await post(payload, { "idempotency-key": apiKey, traceparent: apiKey }),
      await post(payload, { "scanned-at": apiKey }),
    ]);
    const output = stack.api.output() + stack.worker.output();
    expect(output).not.toContain(secret);
    expect(output).not.toContain(basic);
  });

  it("never show a credential of an address, also one with encoded characters that need no encoding", async () => {
    const { token } = generateBadgeToken();
    const tokens = [token, `wms_${token.slice(4)}aB-_0123456`, stack.apiKey];
    const encode = (text: string) => encodeURIComponent(text).replaceAll("_", "%5F");
    const encodeAll = (text: string) => `%${Buffer.from(text).toString("hex").match(/../g)?.join("%")}`;
    for (const one of tokens) {
      const secret = one.slice(one.lastIndexOf("_", 20) + 1);
      const answers = [];
      for (const form of [encode(one), encodeAll(one)]) {
        answers.push(await stack.http.get(`/badge/${stack.organizationId}.svg?token=${form}`));
        answers.push(await stack.http.get(`/${form}`));
      }
      await expectLogged(answers);
      for (const form of [secret, encode(secret), encodeAll(secret)])
        expect(stack.api.output()).not.toContain(form);
    }
  });

  /** Lines are written when the responses are out already. */
  async function expectLogged(answers: HttpResponse<unknown>[]): Promise<void> {
    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    const missing = () => {
      const logged = new Set(stack.api.logLines().map((line) => line["reqId"]));
      return ids.filter((id) => !logged.has(id));
    };
    await expect.poll(missing).toEqual([]);
  }
});
