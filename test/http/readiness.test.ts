import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { type CountedPostgres, startCountedPostgres } from "@waymark/test-support/counted-postgres.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createOrganization, startApi, startWorker, type TestApi } from "@waymark/test-support/stack.ts";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

interface Ready {
  status: string;
  checks: { database: string; queue: string };
}

async function ask(baseUrl: string): Promise<{ status: number; body: Ready; ms: number }> {
  const start = performance.now();
  const response = await fetch(`${baseUrl}/readyz`);
  const body = (await response.json()) as Ready;
  return { status: response.status, body, ms: performance.now() - start };
}

describe("/readyz under many clients", () => {
  let database: TestDatabase;
  let counted: CountedPostgres;
  let api: TestApi;
  beforeAll(async () => {
    database = await createTestDatabase();
    counted = await startCountedPostgres(database.databaseUrl);
    // The queue is elsewhere, and there is none: what is counted are the checks of the database.
    const redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
    api = await startApi({ databaseUrl: counted.url, redisUrl });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await counted[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("costs the database one check a second, whatever 100 clients ask for 4 seconds", async () => {
    await sleep(1_100);
    const before = counted.queries();
    const until = Date.now() + 4_000;
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        let count = 0;
        while (Date.now() < until) {
          expect((await ask(api.baseUrl)).status).toBe(200);
          count++;
        }
        return count;
      }),
    );
    expect(answers.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(400);
    const checks = counted.queries() - before;
    expect(checks).toBeGreaterThanOrEqual(2);
    expect(checks).toBeLessThanOrEqual(5);
  });
});

describe("a process is ready", () => {
  it("without its queue, and reports that: it accepts scans, and workers find them in Postgres", async () => {
    await using database = await createTestDatabase();
    const { apiKey } = await createOrganization(database.databaseUrl);
    const redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
    const workerPort = String(await findFreePort());
    const workerEnv = { METRICS_PORT: workerPort, WORKER_SHUTDOWN_MS: "500" };
    const addresses = { databaseUrl: database.databaseUrl, redisUrl };
    await using api = await startApi(addresses);
    await using worker = await startWorker({ ...addresses, env: workerEnv });
    expect(worker.pid).toBeGreaterThan(0);

    for (const baseUrl of [api.baseUrl, `http://127.0.0.1:${workerPort}`]) {
      const { status, body } = await ask(baseUrl);
      expect({ status, body }).toEqual({
        status: 200,
        body: { status: "ok", checks: { database: "ok", queue: "can't be reached" } },
      });
    }
    const http = createHttpClient(api.baseUrl, { key: apiKey });
    expect((await http.post("/api/scans/ingest", scanPayload({}))).status).toBe(201);
  });

  it("only while its database responds: 503 within 2 s of its end, and 200 again when it is back", async () => {
    await using database = await createTestDatabase();
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await using api = await startApi({ databaseUrl: database.databaseUrl });
    const server = { databaseUrl: new URL("/postgres", database.databaseUrl).href };
    await query(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await query(server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
    const goneAt = Date.now();
    await expect
      .poll(async () => (await ask(api.baseUrl)).status, { interval: 50, timeout: 5_000 })
      .toBe(503);
    expect(Date.now() - goneAt).toBeLessThan(2_500);

    await query(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expect.poll(async () => (await ask(api.baseUrl)).status, { timeout: 10_000 }).toBe(200);
    const told = () => api.logLines().map((line) => String(line["msg"]));
    await expect.poll(told).toContain("ready again");
    expect(told().filter((msg) => msg.startsWith("not ready: "))).toHaveLength(1);
  });

  it("not on a database that hangs, and reports that within seconds to all concurrent requests", async () => {
    await using database = await createTestDatabase();
    await using proxy = await startTcpProxy(database.databaseUrl);
    await using api = await startApi({ databaseUrl: proxy.url });
    await sleep(1_100);
    proxy.goSilent();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(api.baseUrl)));
    for (const { status, body, ms } of answers) {
      expect(status).toBe(503);
      expect(body.checks.database).toBe("can't be reached");
      expect(ms).toBeLessThan(6_000);
    }
    proxy.resume();
    await expect.poll(async () => (await ask(api.baseUrl)).status, { timeout: 20_000 }).toBe(200);
  });

  it.each([
    ["a table", "REVOKE INSERT ON scan_payloads FROM waymark_app"],
    ["a function", "REVOKE EXECUTE ON FUNCTION find_api_keys(text[]) FROM waymark_app"],
    ["a function that a newer version has", "DROP FUNCTION find_api_keys(text[])"],
    ["everything", "DROP OWNED BY waymark_app"],
  ])("only where its role has and may use what it needs: not without %s", async (_what, statement) => {
    await using database = await createTestDatabase();
    await using api = await startApi({ databaseUrl: database.databaseUrl });
    await query(database, statement);
    await expect.poll(async () => (await ask(api.baseUrl)).status, { timeout: 5_000 }).toBe(503);
    const { body } = await ask(api.baseUrl);
    expect(body.checks.database).toMatch(/npm run migrate/);
  });
});
