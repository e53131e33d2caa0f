import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { largeScan } from "@waymark/test-support/scan-payload.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import {
  createHostedOrganization,
  type ProcessStack,
  startApiProcess,
  startProcessStack,
} from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";
import { openRaw, parseAnswer, requestHead } from "./support/raw-client.ts";
import { scaled } from "@waymark/test-support/scale.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const UPLOADS = scaled({ short: 20, long: 1_000 });
const AT_ONCE = 20;
const REQUEST_TIMEOUT_MS = 2_000;
/** Space for one body near its limit and little else. */
const BODY_BYTES_IN_FLIGHT_MAX = 12 * MiB;
const BODY_BYTES_MAX = 10 * MiB;

let stack: ProcessStack;
let metricsPort: number;
/** A scan of almost 10 MiB, which needs nearly the whole budget. */
const largest = JSON.stringify(largeScan({ bytes: BODY_BYTES_MAX - KiB }));
/** JSON that gzip can't make much smaller. */
const dense = Buffer.from(JSON.stringify(randomBytes(MiB).toString("base64")));

beforeAll(async () => {
  metricsPort = await findFreePort();
  stack = await startProcessStack({
    apiEnv: {
      METRICS_PORT: String(metricsPort),
      MAX_BODY_BYTES_IN_FLIGHT: String(BODY_BYTES_IN_FLIGHT_MAX),
      REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
      HEADERS_TIMEOUT_MS: "1000",
      // Attempts without a key come from this address, too.
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "off",
    },
  });
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Upload {
  headers: Record<string, string | number>;
  /** The bytes that the client sends before its connection ends. */
  body: Buffer;
  path?: string;
  withKey?: boolean;
  /** How long after the last byte the client disconnects; null for a client that never does. */
  goesAfterMs: number | null;
}

const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
const half = dense.subarray(0, dense.byteLength / 2);
const packed = gzipSync(dense);
const packedHalf = packed.subarray(0, packed.byteLength / 2);
const declared = { "Content-Length": dense.byteLength };
const chunked = { "Transfer-Encoding": "chunked" };
const gzip = { "Content-Encoding": "gzip" };

const KINDS: [string, Upload][] = [
  ["plain", { headers: declared, body: half, goesAfterMs: 5 }],
  ["plain, all but its last byte", { headers: declared, body: dense.subarray(0, -1), goesAfterMs: 5 }],
  ["plain and whole, gone before the answer", { headers: declared, body: dense, goesAfterMs: 0 }],
  ["chunked", { headers: chunked, body: chunk(half), goesAfterMs: 5 }],
  ["gzip", { headers: { ...gzip, "Content-Length": packed.byteLength }, body: packedHalf, goesAfterMs: 5 }],
  ["gzip, chunked", { headers: { ...gzip, ...chunked }, body: chunk(packedHalf), goesAfterMs: 5 }],
  [
    "gzip, whole but for the last chunk",
    { headers: { ...gzip, ...chunked }, body: chunk(packed), goesAfterMs: 5 },
  ],
  ["gone before the key is checked", { headers: declared, body: half, goesAfterMs: 0 }],
  ["without a key", { headers: declared, body: half, withKey: false, goesAfterMs: 5 }],
  ["a sign-in", { headers: declared, body: half, path: "/api/session", withKey: false, goesAfterMs: 5 }],
  [
    "a sign-in that unpacks to more",
    {
      headers: { ...gzip, ...chunked },
      body: chunk(gzipSync("[".repeat(4 * MiB))),
      path: "/api/session",
      withKey: false,
      goesAfterMs: 5,
    },
  ],
  [
    "to no address of ours",
    { headers: declared, body: half, path: "/api/nothing", withKey: false, goesAfterMs: 5 },
  ],
  ["until the time limit", { headers: declared, body: half.subarray(0, 64 * KiB), goesAfterMs: null }],
  [
    "gzip, until the time limit",
    { headers: { ...gzip, ...chunked }, body: chunk(packedHalf.subarray(0, 64 * KiB)), goesAfterMs: null },
  ],
];

async function abortedUpload({ headers, body, path, withKey = true, goesAfterMs }: Upload): Promise<Socket> {
  const head = requestHead(
    {
      "Content-Type": "application/json",
      ...(withKey ? { Authorization: `Bearer ${stack.apiKey}` } : {}),
      ...headers,
    },
    path,
  );
  const { socket } = await openRaw(stack.api.baseUrl, head);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const ended = new Promise((resolve) => socket.once("end", resolve));
  await new Promise<void>((resolve) => socket.write(body, () => resolve()));
  if (goesAfterMs === null) {
    // A client that leaves its side open for ever: the api has to close the connection.
    socket.allowHalfOpen = true;
    await Promise.race([ended, closed]);
  } else {
    if (goesAfterMs > 0) await sleep(goesAfterMs);
    socket.destroy();
    await closed;
  }
  return socket;
}

const bytesInFlight = async () => (await scrape(metricsPort)).value("waymark_body_bytes_in_flight");

describe(`after ${UPLOADS} uploads that end early`, () => {
  it.each(KINDS)("%s: no byte is still counted", async (kind, upload) => {
    // Those that wait for the time limit wait concurrently.
    const atOnce = upload.goesAfterMs === null ? UPLOADS : AT_ONCE;
    const startedAt = Date.now();
    const sockets: Socket[] = [];
    for (let sent = 0; sent < UPLOADS; sent += atOnce) {
      sockets.push(...(await Promise.all(Array.from({ length: atOnce }, () => abortedUpload(upload)))));
    }
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    await expect.poll(bytesInFlight).toBe(0);
    recordFigures(`Aborted uploads: ${kind}`, {
      uploads: UPLOADS,
      "seconds they took": seconds,
      "bytes still counted": 0,
    });
    for (const socket of sockets) socket.destroy();
  });

  it("a body near the limit is accepted", async () => {
    const probe = () => stack.http.post<{ scanRunId: string }>("/api/scans/ingest", largest);
    await expect.poll(async () => (await probe()).status).toBe(201);
  });

  it("shows how many there were, and how many bytes may be in flight", async () => {
    const metrics = await scrape(metricsPort);
    expect(metrics.value("waymark_body_bytes_in_flight_max")).toBe(BODY_BYTES_IN_FLIGHT_MAX);
    expect(metrics.value("waymark_http_requests_aborted_total")).toBeGreaterThan(UPLOADS);
    const aborted = () => stack.api.logLines().filter((line) => line["msg"] === "request aborted");
    await expect.poll(() => aborted().length).toBeGreaterThan(UPLOADS);
    const expected = { method: "POST", url: "/api/scans/ingest", ip: "127.0.0.1" };
    await expect.poll(() => aborted().at(-1)).toMatchObject(expected);
  });
});

it("refuses a body with 503 while others use up the memory for bodies, and accepts it afterwards", async () => {
  // With the usual time limit: the one above may end the upload on a busy machine.
  const port = await findFreePort();
  await using api = await startApiProcess({
    databaseUrl: stack.databaseUrl,
    env: { METRICS_PORT: String(port), MAX_BODY_BYTES_IN_FLIGHT: String(BODY_BYTES_IN_FLIGHT_MAX) },
  });
  const http = createHttpClient(api.baseUrl, { key: stack.apiKey });
  const inFlight = async () => (await scrape(port)).value("waymark_body_bytes_in_flight");
  const head = requestHead({
    Authorization: `Bearer ${stack.apiKey}`,
    "Content-Type": "application/json",
    "Content-Length": BODY_BYTES_MAX,
  });
  const { socket } = await openRaw(api.baseUrl, head);
  const part = Buffer.alloc(4 * MiB, " ");
  await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  await expect.poll(inFlight).toBe(part.byteLength);
  const refused = await http.post("/api/scans/ingest", largest);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await inFlight()).toBe(part.byteLength);
  socket.destroy();
  await expect.poll(inFlight).toBe(0);
  expect((await http.post("/api/scans/ingest", largest)).status).toBe(201);
});

it("leaves memory for others while one organization's uploads stall", async () => {
  await using api = await startApiProcess({
    databaseUrl: stack.databaseUrl,
    env: { MAX_BODY_BYTES_IN_FLIGHT: String(24 * MiB) },
  });
  const other = await createHostedOrganization(stack.databaseUrl, "Another");
  const head = requestHead({
    Authorization: `Bearer ${stack.apiKey}`,
    "Content-Type": "application/json",
    "Content-Length": BODY_BYTES_MAX,
  });
  const stalled = await Promise.all([1, 2, 3, 4].map(() => openRaw(api.baseUrl, head)));
  for (const { socket } of stalled) socket.write(Buffer.alloc(5 * MiB, " "));
  // Half of the memory is 12 MiB: two of the four.
  const refused = () => stalled.filter((raw) => parseAnswer(raw.answer())?.status === 503).length;
  await expect.poll(refused).toBe(2);
  const http = createHttpClient(api.baseUrl);
  expect((await http.post("/api/scans/ingest", largest, { key: stack.apiKey })).status).toBe(503);
  expect((await http.post("/api/scans/ingest", largest, { key: other.apiKey })).status).toBe(201);
  for (const { socket } of stalled) socket.destroy();
});
