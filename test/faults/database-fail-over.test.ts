import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { announceSeed, scaled } from "@waymark/test-support/scale.ts";
import { startService } from "@waymark/test-support/service-process.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import {
  createOrganization,
  startApiProcess,
  startWorkerProcess,
  TEST_JOURNEY_KEYS,
} from "@waymark/test-support/stack.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { recordFigures } from "./support/figures.ts";
import { type OwnPostgres, type Standby, startOwnPostgres } from "./support/own-postgres.ts";
import { reckon } from "./support/recount.ts";
import { startScanStream } from "./support/scan-stream.ts";
import { untilAllFinal } from "./support/submit.ts";

const SCANS = scaled({ short: 40, long: 2_000 });

const started = new AsyncDisposableStack();
let primary: OwnPostgres;
let standby: Standby;
let databaseUrl: string;
beforeAll(async () => {
  announceSeed();
  primary = started.use(await startOwnPostgres());
  databaseUrl = await primary.createDatabase("waymark_fail_over");
  standby = started.use(await primary.startStandby());
});
afterAll(() => started.disposeAsync());

/** The address with the standby's place, alone or before the primary's. */
const withStandby = ({ alone }: { alone: boolean }) => {
  const { host } = new URL(databaseUrl);
  const place = `127.0.0.1:${standby.port}`;
  return serviceUrl(databaseUrl).replace(host, alone ? place : `${place},${host}`);
};

const readyz = async ({ baseUrl }: { baseUrl: string }) => {
  const { status, body } = await createHttpClient(baseUrl).get<{ checks: { database: string } }>("/readyz");
  return { status, database: body.checks.database };
};

it(
  "an api whose address leads to a standby is not ready, and says what to do",
  { timeout: 240_000 },
  async () => {
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    const api = { baseUrl: `http://127.0.0.1:${port}` };
    await using _api = await startService("services/api/src/main.ts", {
      env: {
        DATABASE_URL: withStandby({ alone: true }),
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        JOURNEY_KEYS: TEST_JOURNEY_KEYS,
      },
      isReady: async () => (await readyz(api)).status > 0,
    });
    const { status, database } = await readyz(api);
    expect(status).toBe(503);
    expect(database).toMatch(/^the database accepts no writes: it is a standby, or read-only\..*Fix: /);
  },
);

it(
  "api and worker follow the primary among the servers of their address, and lose nothing",
  {
    timeout: 600_000,
  },
  async () => {
    const organization = await createOrganization(databaseUrl);
    const env = { DATABASE_URL: withStandby({ alone: false }) };
    await using api = await startApiProcess({ databaseUrl, env });
    await using _worker = await startWorkerProcess({ databaseUrl, env: { ...env, WORKER_LEASE_MS: "3000" } });
    const stream = startScanStream({
      baseUrls: [api.baseUrl],
      organizations: [organization],
      clients: 4,
      pauseMs: 50,
    });
    await waitUntil("scans were sent", () => stream.sent().length >= SCANS);
    await primary.kill();
    await waitUntil("the api notices", async () => (await readyz(api)).status === 503);
    const promotedAt = Date.now();
    await standby.promote();
    await waitUntil("the api is ready again", async () => (await readyz(api)).status === 200);
    const readyMs = Date.now() - promotedAt;
    const before = stream.sent().length;
    await waitUntil("more scans were sent", () => stream.sent().length >= before + SCANS);
    const sent = await stream.stop();

    const promoted = { databaseUrl: databaseUrl.replace(new URL(databaseUrl).port, String(standby.port)) };
    const finalMs = await untilAllFinal(promoted, { limitMs: 90_000 });
    const result = await reckon(promoted, sent);
    recordFigures("Postgres fails over to a synchronous standby", {
      "scans sent": sent.length,
      accepted: stream.statuses()[201] ?? 0,
      completed: result.completed,
      "accepted and lost": result.acceptedAndLost,
      "ready after the promotion (ms)": readyMs,
      "all completed after the last scan (ms)": finalMs,
    });
    expect(stream.wrongAnswers()).toEqual([]);
    expect(result).toMatchObject({
      acceptedAndLost: 0,
      duplicates: 0,
      notFinal: 0,
      falseCompleted: 0,
      failed: 0,
    });
  },
);
