import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "@waymark/server/db/migrate.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { type Pooler, type PoolerOptions, startPooler } from "@waymark/test-support/pooler.ts";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { startService } from "@waymark/test-support/service-process.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  startApi,
  startWorker,
  waitForScanRun,
} from "@waymark/test-support/stack.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database[Symbol.asyncDispose]());

/** Starts a service's process behind a pooler, and returns what it says about the database. */
async function readStateOf(
  name: "api" | "worker",
  pooler: Pooler,
): Promise<{ status: number; state: string }> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const readyUrl = `http://127.0.0.1:${metricsPort}/readyz`;
  await using _service = await startService(`services/${name}/src/main.ts`, {
    env: {
      DATABASE_URL: serviceUrl(pooler.url),
      DATABASE_DIRECT_URL: serviceUrl(database.databaseUrl),
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      WORKER_SHUTDOWN_MS: "500",
    },
    isReady: async () => (await (await fetch(readyUrl)).text()).includes('"database"'),
  });
  await sleep(1_100);
  const response = await fetch(readyUrl);
  const body = (await response.json()) as { checks: { database: string } };
  return { status: response.status, state: body.checks.database };
}

describe("a pooler in transaction mode without prepared statements", () => {
  let pooler: Pooler;
  beforeAll(async () => (pooler = await startPooler(database.databaseUrl, { mode: "transaction" })));
  afterAll(() => pooler[Symbol.asyncDispose]());

  it("is refused by migrate, and no lock stays behind", async () => {
    await expect(migrate(pooler.url)).rejects.toThrow(
      /pooler in transaction mode.* Fix: set DATABASE_DIRECT_URL to the address of Postgres itself/,
    );
    // Other tests lock something in other databases of the server.
    const locks = `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                   WHERE l.locktype = 'advisory' AND d.datname = current_database()`;
    await expect.poll(() => query(database, locks)).toEqual([]);
    expect((await migrate(database.databaseUrl)).applied).toEqual([]);
  });

  it.each(["api", "worker"] as const)("keeps the %s unready, and /readyz says what to do", async (name) => {
    expect(await readStateOf(name, pooler)).toEqual({
      status: 503,
      state: expect.stringMatching(/does not support prepared statements.* Fix: PgBouncer 1\.21 or later/),
    });
  });
});

describe("a pooler in session mode", () => {
  const open = (options: Partial<PoolerOptions> = {}) =>
    startPooler(database.databaseUrl, { mode: "session", ...options });

  it("works for migrations and for every step of a scan", async () => {
    await using pooler = await open();
    expect((await migrate(pooler.url)).applied).toEqual([]);
    const { apiKey } = await createHostedOrganization(pooler.url);
    await using api = await startApi({ databaseUrl: pooler.url });
    await using _worker = await startWorker({ databaseUrl: pooler.url });
    const http = createHttpClient(api.baseUrl, { key: apiKey });
    const { status, body } = await http.post<{ scanRunId: string }>("/api/scans/ingest", scanPayload({}));
    expect(status).toBe(201);
    expect(await waitForScanRun(http, body.scanRunId)).toMatchObject({ status: "completed" });
  });

  it("that refuses time limits as start-up parameters ends the process with what to do", async () => {
    await using pooler = await open({ ignored: "extra_float_digits" });
    await expect(readStateOf("api", pooler)).rejects.toThrow(
      /DATABASE_URL leads to a pooler that refuses connections with Waymark's time limits .* Fix: .*ignore_startup_parameters/,
    );
  });
});
