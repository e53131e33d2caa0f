import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
let scanRunId: string;
let serviceId: string;
let journeyId: string;
let runId: string;
beforeAll(async () => {
  stack = await startStack();
  const payload = scanPayload({ serviceName: "kept", endpoints: 30, findings: 3 });
  ({ scanRunId, serviceId } = (await ingest(stack, payload)).body);
  await waitForRun(stack, scanRunId);
  const document = { path: "kept.journey.yaml", text: journeyText("kept") };
  ({ id: journeyId } = await storeDocument(stack, document));
  const environment = await stack.http.post<{ id: string }>("/api/environments", { name: "test" });
  const run = { journeyId, environmentId: environment.body.id };
  ({ runId } = (await stack.http.post<{ runId: string }>("/api/journey-runs", run)).body);
});
afterAll(() => stack[Symbol.asyncDispose]());

const paths = () => [
  `/api/scan-runs/${scanRunId}`,
  `/api/scan-runs/${scanRunId}/endpoints`,
  `/api/scan-runs/${scanRunId}/endpoints?limit=2`,
  `/api/scan-runs/${scanRunId}/findings`,
  `/api/scan-runs/${scanRunId}/findings/0`,
  `/api/scan-runs/${scanRunId}/changes`,
  `/api/journey-runs/${runId}`,
  `/api/journey-runs/${runId}/steps`,
  `/api/journeys/${journeyId}/versions/1`,
];

const get = (path: string, ifNoneMatch?: string, key?: string) =>
  stack.http.get(path, {
    ...(key === undefined ? {} : { key }),
    ...(ifNoneMatch === undefined ? {} : { headers: { "if-none-match": ifNoneMatch } }),
  });

async function etagOf(path: string, key?: string): Promise<string> {
  const { status, headers } = await get(path, undefined, key);
  expect({ path, status, cache: headers.get("cache-control") }).toEqual({
    path,
    status: 200,
    cache: "private, no-cache",
  });
  return headers.get("etag") ?? "";
}

describe("content that a client has", () => {
  it("is not sent again: 304 without a body", async () => {
    const etags = new Set<string>();
    for (const path of paths()) {
      const etag = await etagOf(path);
      etags.add(etag);
      const { status, text, headers } = await get(path, etag);
      expect({ path, status, text }).toEqual({ path, status: 304, text: "" });
      expect([headers.get("etag"), headers.get("cache-control")]).toEqual([etag, "private, no-cache"]);
      expect(headers.get("content-encoding")).toBeNull();
      // A cache would otherwise give a compressed response to a client that can't read it.
      expect(headers.get("vary")).toBe((await get(path)).headers.get("vary"));
      expect(headers.get("vary")).toBe("accept-encoding");
    }
    expect(etags.size).toBe(paths().length);
  });

  it.each<[string, (tag: string) => string]>([
    ["strong", (tag) => tag],
    ["weak", (tag) => `W/${tag}`],
    ["one of several", (tag) => `"other" , W/"more",${tag}`],
    ["any", () => " * "],
  ])("is recognized where the ETag is %s", async (_form, write) => {
    const path = `/api/scan-runs/${scanRunId}`;
    const tag = (await etagOf(path)).replace(/^W\//, "");
    expect((await get(path, write(tag))).status).toBe(304);
  });

  it.each(["", '"', '""', '"other"', "unquoted", 'W/"', "**", `${'"a",'.repeat(500)}"b"`])(
    "is sent where If-None-Match is %j",
    async (value) => {
      expect((await get(`/api/scan-runs/${scanRunId}`, value)).status).toBe(200);
    },
  );

  it("is sent again when the run was changed, such as by a promotion", async () => {
    const held = await stack.http.post<{ scanRunId: string }>(
      "/api/scans/ingest",
      scanPayload({ serviceName: "held", endpoints: 2 }),
      { headers: { "waymark-promote": "false" } },
    );
    await waitForRun(stack, held.body.scanRunId);
    const path = `/api/scan-runs/${held.body.scanRunId}`;
    const etag = await etagOf(path);
    await stack.http.post(`${path}/promote`);
    const { status, body } = await get(path, etag);
    expect({ status, body }).toMatchObject({ status: 200, body: { promoted: true } });
  });
});

describe("a 304", () => {
  it("is only for callers that may read the content", async () => {
    const stranger = (await createHostedOrganization(stack.databaseUrl, "Strangers")).apiKey;
    const [none, other, own] = [
      await createKey(stack, ["scans:create"]),
      await createKey(stack, [{ permission: "*", serviceId: crypto.randomUUID() }]),
      await createKey(stack, [{ permission: "services:read", serviceId }]),
    ];
    for (const path of paths()) {
      const etag = await etagOf(path);
      for (const [key, status] of [
        [stranger, 404],
        [none, 403],
        [other, 403],
      ] as const) {
        for (const tag of [etag, "*"]) {
          const answer = await get(path, tag, key);
          expect({ path, status: answer.status, etag: answer.headers.get("etag") }).toEqual({
            path,
            status,
            etag: null,
          });
          expect(answer.headers.get("cache-control")).toBe("no-store");
        }
      }
      const anonymous = await stack.http.get(path, { key: null, headers: { "if-none-match": "*" } });
      expect(anonymous.status).toBe(401);
    }
    expect((await get(`/api/scan-runs/${scanRunId}`, "*", own)).status).toBe(304);
  });
});
