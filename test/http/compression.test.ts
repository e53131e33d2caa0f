import { gunzipSync } from "node:zlib";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
let endpoints: string;
beforeAll(async () => {
  stack = await startStack();
  const { body } = await ingest(stack, scanPayload({ endpoints: 200, findings: 3 }));
  await waitForRun(stack, body.scanRunId);
  endpoints = `/api/scan-runs/${body.scanRunId}/endpoints?limit=200`;
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Without the decompression that `fetch` does by itself. */
async function exchange(path: string, acceptEncoding: string, method = "GET") {
  const sent = request(new URL(path, stack.api.baseUrl), {
    method,
    headers: { authorization: `Bearer ${stack.apiKey}`, "accept-encoding": acceptEncoding },
  });
  sent.end();
  const { promise, resolve, reject } = Promise.withResolvers<import("node:http").IncomingMessage>();
  sent.on("response", resolve).on("error", reject);
  const response = await promise;
  return { headers: response.headers, body: await buffer(response) };
}

it("compresses large JSON for clients that accept gzip, to a tenth or less", async () => {
  const plain = await exchange(endpoints, "identity");
  const compressed = await exchange(endpoints, "gzip, br");
  expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
  expect(compressed.headers["content-length"]).toBe(String(compressed.body.length));
  expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
  expect(compressed.body.length).toBeLessThan(plain.body.length / 10);
  // A cache must not send the compressed response to a client that doesn't accept it.
  expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
  expect(plain.headers["content-encoding"]).toBeUndefined();
});

it("doesn't compress small responses", async () => {
  const { headers } = await exchange("/api/services", "gzip");
  expect(headers["content-encoding"]).toBeUndefined();
});

it("serves the console's files as brotli", async () => {
  const { body } = await exchange("/", "identity");
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(body.toString())?.[1] ?? "";
  const { headers } = await exchange(script, "gzip, deflate, br");
  expect(headers["content-encoding"]).toBe("br");
});
