import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { openRaw } from "../faults/support/raw-client.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import {
  createHostedOrganization,
  startApi,
  startStack,
  type Stack,
  type TestApi,
} from "@waymark/test-support/stack.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

describe("the metrics of a stack", () => {
  let stack: Stack;
  const ports = { api: 0, worker: 0 };
  beforeAll(async () => {
    ports.api = await findFreePort();
    ports.worker = await findFreePort();
    stack = await startStack({
      apiEnv: { METRICS_PORT: String(ports.api) },
      workerEnv: { METRICS_PORT: String(ports.worker) },
    });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it("are served in Prometheus' format on a port of their own, never on the public one", async () => {
    const own = await fetch(`http://127.0.0.1:${ports.api}/metrics`);
    expect(own.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await stack.http.get("/metrics")).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${ports.api}/api/services`)).status).toBe(404);
  });

  it("show on that port that the process is alive and ready", async () => {
    for (const port of [ports.api, ports.worker]) {
      for (const path of ["/healthz", "/readyz"]) {
        expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
      }
    }
  });

  it("count scans by how they were accepted, and the worker's results", async () => {
    const payload = scanPayload({ serviceName: "counted", endpoints: 3, findings: 2 });
    const before = { api: await scrape(ports.api), worker: await scrape(ports.worker) };
    const first = await ingest(stack, payload);
    await waitForRun(stack, first.body.scanRunId);
    const headers = { "idempotency-key": "metrics-1" };
    await stack.http.post("/api/scans/ingest", payload, { headers });
    await stack.http.post("/api/scans/ingest", payload, { headers });

    // They are counted after the response, when the run is already complete.
    const rises = async (service: "api" | "worker", sample: string, by: number) => {
      const rise = async () =>
        ((await scrape(ports[service])).value(sample) ?? 0) - (before[service].value(sample) ?? 0);
      await expect.poll(rise).toBe(by);
    };
    for (const path of ["new", "repeated", "replayed"]) {
      await rises("api", `waymark_ingest_duration_seconds_count{path="${path}"}`, 1);
    }
    const route = 'method="POST",route="/api/scans/ingest"';
    await rises("api", `waymark_http_requests_total{${route},status="201"}`, 3);
    await rises("api", `waymark_http_request_duration_seconds_count{${route}}`, 3);
    await rises("worker", "waymark_scan_runs_completed_total", 1);
    await rises("worker", "waymark_rows_persisted_total", 5);
    await rises("worker", "waymark_batch_runs_count", 1);
    await rises("worker", "waymark_batch_duration_seconds_count", 1);
  });

  it("count refused keys and refused bodies by their error code", async () => {
    const before = await scrape(ports.api);
    const text = '{"service":';
    await stack.http.get("/api/services", { key: null });
    await stack.http.get("/api/services", { key: "wmk_nonsense" });
    await stack.http.post("/api/scans/ingest", text);
    await stack.http.post("/api/scans/ingest", { service: {} });
    await stack.http.post("/api/scans/ingest", "x", { headers: { "content-type": "text/plain" } });
    await stack.http.post("/api/scans/ingest", " ".repeat(10 * 1024 * 1024 + 1));

    // Refused bodies are still read for a while, and counted at the end of the connection.
    const rise = async (sample: string) =>
      ((await scrape(ports.api)).value(sample) ?? 0) - (before.value(sample) ?? 0);
    for (const code of ["missing_credentials", "invalid_api_key"]) {
      await expect.poll(() => rise(`waymark_key_refusals_total{code="${code}"}`)).toBe(1);
    }
    for (const code of [
      "malformed_json",
      "validation_failed",
      "unsupported_media_type",
      "payload_too_large",
    ]) {
      await expect.poll(() => rise(`waymark_bodies_refused_total{code="${code}"}`)).toBe(1);
    }
  });

  it("name routes by their pattern, without ids, organizations or addresses from clients", async () => {
    const { body } = await ingest(stack, scanPayload({ serviceName: "patterns" }));
    await stack.http.get(`/api/scan-runs/${body.scanRunId}`);
    await stack.http.get(`/api/made-up-${Date.now()}/address`);
    const unmatched = 'waymark_http_requests_total{method="GET",route="unmatched",status="404"}';
    await expect.poll(async () => (await scrape(ports.api)).value(unmatched)).toBeGreaterThan(0);
    const matched =
      'waymark_http_requests_total{method="GET",route="/api/scan-runs/:scanRunId",status="200"}';
    await expect.poll(async () => (await scrape(ports.api)).value(matched)).toBeGreaterThan(0);
    const { text } = await scrape(ports.api);
    expect(text).not.toMatch(UUID);
    expect(text).not.toContain("made-up");
  });
});

describe("requests that didn't reach a route", () => {
  let port: number;
  let database: TestDatabase;
  let api: TestApi;
  beforeAll(async () => {
    port = await findFreePort();
    database = await createTestDatabase();
    api = await startApi({ ...database, env: { METRICS_PORT: String(port) } });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Sends what is no request, and returns how often such have been counted. */
  async function sendUnparsed(baseUrl: string, metricsPort: number, text: string, status: number) {
    const raw = await openRaw(baseUrl, text);
    await raw.done;
    raw.socket.destroy();
    const sample = `waymark_http_requests_total{method="unparsed",route="unparsed",status="${status}"}`;
    return async () => (await scrape(metricsPort)).value(sample);
  }

  it.each([
    ["headers that are too large", `GET / HTTP/1.1\r\nHost: w\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    ["what is no HTTP", "hello\r\n\r\n", 400],
  ])("are counted by their status: %s", async (_name, text, status) => {
    await expect.poll(await sendUnparsed(api.baseUrl, port, text, status)).toBe(1);
  });

  it("are counted by their status: headers that never end", async () => {
    const metricsPort = await findFreePort();
    const env = { METRICS_PORT: String(metricsPort), HEADERS_TIMEOUT_MS: "1000" };
    await using impatient = await startApi({ ...database, env });
    const text = "GET / HTTP/1.1\r\nHost: w\r\nX: ";
    await expect.poll(await sendUnparsed(impatient.baseUrl, metricsPort, text, 408)).toBe(1);
  });

  it.each([
    ["/api/%zz", 400],
    [`/api/services/${"x".repeat(1000)}`, 404],
  ])("are counted once when their address can't be routed: %s", async (path, status) => {
    const raw = await openRaw(api.baseUrl, `GET ${path} HTTP/1.1\r\nHost: w\r\n\r\n`);
    await raw.done;
    raw.socket.destroy();
    const sample = `waymark_http_requests_total{method="GET",route="unmatched",status="${status}"}`;
    await expect.poll(async () => (await scrape(port)).value(sample)).toBe(1);
  });
});

describe("an api's metrics", () => {
  it("show how many runs of all organizations wait, and since when", async () => {
    await using database = await createTestDatabase();
    const port = await findFreePort();
    await using api = await startApi({ ...database, env: { METRICS_PORT: String(port) } });
    for (const [name, scans] of [["Acme", 2] as const, ["Umbrella", 1] as const]) {
      const { apiKey } = await createHostedOrganization(database.databaseUrl, name);
      const http = createHttpClient(api.baseUrl, { key: apiKey });
      for (let n = 0; n < scans; n++) await ingest({ http }, scanPayload({ seed: `${n}` }));
    }
    const { value } = await scrape(port);
    expect(value("waymark_unfinished_scan_runs")).toBe(3);
    expect(value("waymark_oldest_unfinished_scan_run_age_seconds")).toBeGreaterThan(0);
    expect(value("waymark_backlog_samples_failed_total")).toBe(0);
    expect(value('waymark_database_pool_connections{pool="hot"}')).toBeGreaterThan(0);
  });

  it.each(["api", "worker"])(
    "on a taken port keep the %s from starting, with one clear line",
    async (service) => {
      const taken = createServer().listen(0, "127.0.0.1");
      await once(taken, "listening");
      const address = taken.address();
      const port = typeof address === "object" ? String(address?.port) : "";
      await using database = await createTestDatabase();
      const env = { DATABASE_URL: serviceUrl(database.databaseUrl), METRICS_PORT: port, PORT: "0" };
      const started = runNode([`services/${service}/src/main.ts`], env);
      await expect(started).rejects.toThrow(
        `ended with 1:\nwaymark ${service}: METRICS_PORT ${port} on 127.0.0.1 is taken. Set METRICS_PORT to another port.\n`,
      );
      taken.close();
    },
  );
});
