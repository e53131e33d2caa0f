import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { largeScan } from "@waymark/test-support/scan-payload.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { createOrganization, type Stack, startApi, startStack } from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";
import { openRaw, parseAnswer, requestHead } from "./support/raw-client.ts";
import { scaled } from "@waymark/test-support/scale.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const UPLOADS = scaled({ short: 80, long: 1_000 });
const AT_ONCE = 20;
const REQUEST_TIMEOUT_MS = 2_000;
/** Room for one body near its limit and little else: a fortieth of the uploads that is not given back shows. */
const BODY_BYTES_IN_FLIGHT_MAX = 12 * MiB;
const BODY_BYTES_MAX = 10 * MiB;

let stack: Stack;
let metricsPort: number;
/** A scan of 10 MiB less a few bytes: what it takes to see that the budget is whole. */
const largest = JSON.stringify(largeScan({ bytes: BODY_BYTES_MAX - KiB }));
/** JSON that gzip can't make much smaller. */
const dense = Buffer.from(JSON.stringify(randomBytes(MiB).toString("base64")));

beforeAll(async () => {
  metricsPort = await findFreePort();
  stack = await startStack({
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
  /** What is sent before the connection ends. */
  body: Buffer;
  path?: string;
  withKey?: boolean;
  /** How long after the last byte the client goes; null for one that never goes by itself. */
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
  it.each(KINDS)(
    "%s: a body near the limit is accepted, and no byte is still counted",
    async (kind, upload) => {
      // Those that wait for the time limit do so together.
      const atOnce = upload.goesAfterMs === null ? UPLOADS : AT_ONCE;
      const startedAt = Date.now();
      const sockets: Socket[] = [];
      for (let sent = 0; sent < UPLOADS; sent += atOnce) {
        sockets.push(...(await Promise.all(Array.from({ length: atOnce }, () => abortedUpload(upload)))));
      }
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      const probe = () => stack.http.post<{ scanRunId: string }>("/api/scans/ingest", largest);
      await expect.poll(async () => (await probe()).status).toBe(201);
      recordFigures(`Aborted uploads: ${kind}`, {
        uploads: UPLOADS,
        "seconds they took": seconds,
        "answer to 10 MiB afterwards": 201,
      });
      await expect.poll(bytesInFlight).toBe(0);
      for (const socket of sockets) socket.destroy();
    },
  );

  it("says how many there were, and how much may be in flight", async () => {
    const metrics = await scrape(metricsPort);
    expect(metrics.value("waymark_body_bytes_in_flight_max")).toBe(BODY_BYTES_IN_FLIGHT_MAX);
    expect(metrics.value("waymark_http_requests_aborted_total")).toBeGreaterThan(UPLOADS);
    const aborted = stack.api.logLines().filter((line) => line["msg"] === "request aborted");
    expect(aborted.length).toBeGreaterThan(UPLOADS);
    expect(aborted.at(-1)).toMatchObject({ method: "POST", url: "/api/scans/ingest", ip: "127.0.0.1" });
  });
});

it("refuses a body with 503 while others fill the memory for bodies, and takes it when they are gone", async () => {
  const head = requestHead({
    Authorization: `Bearer ${stack.apiKey}`,
    "Content-Type": "application/json",
    "Content-Length": BODY_BYTES_MAX,
  });
  const { socket } = await openRaw(stack.api.baseUrl, head);
  const part = Buffer.alloc(4 * MiB, " ");
  await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  await expect.poll(bytesInFlight).toBe(part.byteLength);
  const refused = await stack.http.post("/api/scans/ingest", largest);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await bytesInFlight()).toBe(part.byteLength);
  socket.destroy();
  await expect.poll(bytesInFlight).toBe(0);
  expect((await stack.http.post("/api/scans/ingest", largest)).status).toBe(201);
});

it("leaves room for others when one organization's uploads stand still", async () => {
  await using api = await startApi({
    databaseUrl: stack.databaseUrl,
    env: { MAX_BODY_BYTES_IN_FLIGHT: String(24 * MiB) },
  });
  const other = await createOrganization(stack.databaseUrl, "Another");
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
