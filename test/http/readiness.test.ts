import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { type CountedPostgres, startCountedPostgres } from "@waymark/test-support/postgres/counted.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  startApi,
  startWorker,
  type TestApi,
} from "@waymark/test-support/stack.ts";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { startService } from "@waymark/test-support/service-process.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

interface Ready {
  status: string;
  checks: { database: string; queue: string };
}

async function ask(baseUrl: string): Promise<{ status: number; body: Ready }> {
  const response = await fetch(`${baseUrl}/readyz`);
  return { status: response.status, body: (await response.json()) as Ready };
}

describe("/readyz under many clients", () => {
  let database: TestDatabase;
  let counted: CountedPostgres;
  let api: TestApi;
  beforeAll(async () => {
    database = await createTestDatabase();
    counted = await startCountedPostgres(database.databaseUrl);
    // The queue is unavailable, so only the checks of the database are counted.
    const redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
    api = await startApi({ databaseUrl: counted.url, redisUrl });
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await counted[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("costs the database one check a second, while 100 clients request it for 4 seconds and more", async () => {
    await sleep(1_100);
    const before = counted.queries();
    const start = performance.now();
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        for (let n = 0; n < 13; n++) {
          await ask(api.baseUrl);
          await sleep(300);
        }
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    const checks = counted.queries() - before;
    expect(checks).toBeGreaterThanOrEqual(2);
    expect(checks).toBeLessThanOrEqual(seconds + 1);
    await expect.poll(async () => (await ask(api.baseUrl)).status).toBe(200);
  });
});

describe("a process is ready", () => {
  it("without its queue, and reports that: it accepts scans, and workers find them in Postgres", async () => {
    await using database = await createTestDatabase();
    const { apiKey } = await createHostedOrganization(database.databaseUrl);
    const redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
    const workerPort = String(await findFreePort());
    const workerEnv = { METRICS_PORT: workerPort, WORKER_SHUTDOWN_MS: "500" };
    const addresses = { databaseUrl: database.databaseUrl, redisUrl };
    await using api = await startApi(addresses);
    await using _worker = await startWorker({ ...addresses, env: workerEnv });

    for (const baseUrl of [api.baseUrl, `http://127.0.0.1:${workerPort}`]) {
      await expect
        .poll(() => ask(baseUrl))
        .toEqual({
          status: 200,
          body: { status: "ok", checks: { database: "ok", queue: "can't be reached" } },
        });
    }
    const http = createHttpClient(api.baseUrl, { key: apiKey });
    expect((await http.post("/api/scans/ingest", scanPayload({}))).status).toBe(201);
  });

  it("only while its database responds: 503 after its end, and 200 again when it is back", async () => {
    await using database = await createTestDatabase();
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await using api = await startApi({ databaseUrl: database.databaseUrl });
    const server = { databaseUrl: new URL("/postgres", database.databaseUrl).href };
    await query(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await query(server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
    await expect.poll(async () => (await ask(api.baseUrl)).status).toBe(503);

    await query(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expect.poll(async () => (await ask(api.baseUrl)).status).toBe(200);
    await expect.poll(() => api.logLines().map((line) => line["msg"])).toContain("ready again");
    const told = api.logLines().filter((line) => String(line["msg"]).startsWith("not ready: "));
    const states = told.map((line) => line["database"]);
    // One line for each state: that its connection ended may be one, and that it accepts no new one another.
    expect(states.length).toBeGreaterThan(0);
    expect(new Set(states).size).toBe(states.length);
  });

  it("not on a database that hangs, and reports that to all concurrent requests while it hangs", async () => {
    await using database = await createTestDatabase();
    await using proxy = await startTcpProxy(database.databaseUrl);
    await using api = await startApi({ databaseUrl: proxy.url });
    await sleep(1_100);
    proxy.goSilent();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(api.baseUrl)));
    for (const { status, body } of answers) {
      expect(status).toBe(503);
      expect(body.checks.database).toBe("can't be reached");
    }
    proxy.resume();
    await expect.poll(async () => (await ask(api.baseUrl)).status).toBe(200);
  });

  it.each([
    ["a table", "REVOKE INSERT ON scan_payloads FROM waymark_app"],
    ["a table of journeys", "REVOKE UPDATE ON journey_runs FROM waymark_app"],
    ["a column", "REVOKE UPDATE (head_version) ON journey_documents FROM waymark_app"],
    ["a function", "REVOKE EXECUTE ON FUNCTION find_api_keys(text[]) FROM waymark_app"],
    ["a function that a newer version has", "DROP FUNCTION find_api_keys(text[])"],
    ["everything", "DROP OWNED BY waymark_app"],
  ])("only if its role has the required objects and privileges: not without %s", async (_what, statement) => {
    await using database = await createTestDatabase();
    await using api = await startApi({ databaseUrl: database.databaseUrl });
    await query(database, statement);
    await expect
      .poll(() => ask(api.baseUrl))
      .toMatchObject({
        status: 503,
        body: { checks: { database: expect.stringMatching(/npm run migrate/) } },
      });
  });

  it.each(["api", "worker"])("not on a database that was never migrated: the %s", async (name) => {
    await using database = await createTestDatabase({ migrated: false });
    const ports = { PORT: String(await findFreePort()), METRICS_PORT: String(await findFreePort()) };
    const baseUrl = `http://127.0.0.1:${ports.METRICS_PORT}`;
    const redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
    await using service = await startService(`services/${name}/src/main.ts`, {
      env: { DATABASE_URL: serviceUrl(database.databaseUrl), REDIS_URL: redisUrl, ...ports },
      isReady: async () => (await ask(baseUrl)).body.checks.database !== undefined,
    });
    const database503 = expect.stringMatching(/never migrated\. Fix: npm run migrate/);
    await expect
      .poll(() => ask(baseUrl))
      .toMatchObject({ status: 503, body: { checks: { database: database503 } } });
    expect(service.output()).not.toContain("is ready");
  });
});
