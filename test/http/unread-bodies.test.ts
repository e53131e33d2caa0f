import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const CHUNK = Buffer.alloc(64 * 1024, " ");
const CHUNKS = 1024;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Writes all 64 MB regardless of the response, as simple clients do, and only then reads it. */
async function writeThenRead(options: { key?: string; chunked: boolean; close: boolean }): Promise<string> {
  const socket = connect(Number(new URL(stack.api.baseUrl).port), "127.0.0.1");
  let answer = "";
  const errors: Error[] = [];
  socket.on("error", (error) => errors.push(error));
  socket.on("data", (data) => (answer += String(data)));
  socket.setMaxListeners(0);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(
    [
      "POST /api/scans/ingest HTTP/1.1",
      "Host: waymark",
      "Content-Type: application/json",
      ...(options.key === undefined ? [] : [`Authorization: Bearer ${options.key}`]),
      ...(options.close ? ["Connection: close"] : []),
      options.chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${CHUNK.byteLength * CHUNKS}`,
      "\r\n",
    ].join("\r\n"),
  );
  for (let sent = 0; sent < CHUNKS && !socket.closed; sent++) {
    const chunk = options.chunked
      ? Buffer.concat([Buffer.from(`${CHUNK.byteLength.toString(16)}\r\n`), CHUNK, Buffer.from("\r\n")])
      : CHUNK;
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), closed]);
  }
  if (options.chunked) socket.write("0\r\n\r\n");
  while (!answer.includes("}}") && !socket.closed) {
    await Promise.race([once(socket, "data"), closed]);
  }
  socket.destroy();
  if (errors.length > 0) throw errors[0];
  return answer;
}

describe.each([
  { chunked: false, close: false },
  { chunked: false, close: true },
  { chunked: true, close: false },
  { chunked: true, close: true },
])("a client that is still writing 64 MB ($chunked chunked, $close close)", (transfer) => {
  it("without a key reads its 401", async () => {
    const answer = await writeThenRead(transfer);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).toContain('"code":"missing_credentials"');
  });

  it("with a key reads its 413", async () => {
    const answer = await writeThenRead({ ...transfer, key: stack.apiKey });
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('"code":"payload_too_large"');
  });
});

it("serves the next request on a connection whose refused body was short", async () => {
  const refused = await stack.http.post("/api/scans/ingest", "x".repeat(1000), { key: null });
  expect(refused.status).toBe(401);
  expect((await stack.http.get("/healthz")).status).toBe(200);
});

/** Sends the head of a request, whose body never comes. @returns the response */
async function announceBody(path: string, key: string): Promise<string> {
  const socket = connect(Number(new URL(stack.api.baseUrl).port), "127.0.0.1");
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      "Host: waymark",
      "Content-Type: application/json",
      `Authorization: Bearer ${key}`,
      "Content-Length: 1000",
      "\r\n",
    ].join("\r\n"),
  );
  let answer = "";
  for await (const data of socket) {
    answer += String(data);
    if (answer.includes("}}")) break;
  }
  return answer;
}

it.each([
  ["/api/scans/ingest", "scans:create"],
  ["/api/journey-changesets", "journeys:write"],
])("%s refuses a key without %s before the body comes", async (path, permission) => {
  const key = await createKey(stack, ["services:read"]);
  const answer = await announceBody(path, key);
  expect(answer).toMatch(/^HTTP\/1.1 403 /);
  expect(answer).toContain(`This API key lacks the permission ${permission}.`);
});
