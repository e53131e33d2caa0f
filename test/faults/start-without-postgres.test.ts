import { scaled } from "@waymark/test-support/scale.ts";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { startService, type TestService } from "@waymark/test-support/service-process.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { startApi, startWorker, TEST_JOURNEY_KEYS } from "@waymark/test-support/stack.ts";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OwnPostgres, startOwnPostgres } from "./support/own-postgres.ts";

let postgres: OwnPostgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  databaseUrl = await postgres.createDatabase("waymark_start");
});
afterAll(() => postgres[Symbol.asyncDispose]());

const UNREACHABLE = /^the database, which the process needs to start, can't be reached$/;

const linesAbout = (service: TestService, message: RegExp) =>
  service.logLines().filter((line) => message.test(String(line["msg"])));

/** Starts a service's process, and resolves when it waits for the database. */
async function startWaiting(name: "api" | "worker") {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const service = await startService(`services/${name}/src/main.ts`, {
    env: {
      DATABASE_URL: serviceUrl(databaseUrl),
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      JOURNEY_KEYS: TEST_JOURNEY_KEYS,
      WORKER_SHUTDOWN_MS: "500",
    },
    isReady: async (started) => linesAbout(started, UNREACHABLE).length > 0,
  });
  const readyz = async () => (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status;
  return { service, readyz };
}

describe.each(["api", "worker"] as const)("the %s, started before Postgres", (name) => {
  it("waits for it, logs that once, and is ready when Postgres is", { timeout: 240_000 }, async () => {
    await postgres.kill();
    const { service, readyz } = await startWaiting(name);
    await using _stopped = service;
    expect(await readyz()).toBe(503);
    // A cluster that was killed recovers first, and refuses connections meanwhile.
    await postgres.start();
    await expect.poll(readyz, { timeout: 60_000 }).toBe(200);
    expect(linesAbout(service, UNREACHABLE)).toHaveLength(1);
    await expect
      .poll(() => linesAbout(service, /can be reached again$/), { timeout: 60_000 })
      .toHaveLength(1);
  });

  it("ends at a signal while it waits", { timeout: 240_000 }, async () => {
    await postgres.kill();
    const { service } = await startWaiting(name);
    expect(await service.stop()).toMatchObject({ code: 0 });
    await postgres.start();
  });
});

/** How many of the connections that a service opens until it is ready are cut in turn. */
const CONNECTIONS = scaled({ short: 4, long: 8 });

describe.each([
  { name: "api", start: startApi },
  { name: "worker", start: startWorker },
])("the $name", ({ start }) => {
  it("starts when any one of its first connections is cut", { timeout: 240_000 }, async () => {
    await postgres.start();
    const startWithCut = async (index: number) => {
      const connections = new Set<unknown>();
      await using proxy = await startTcpProxy(databaseUrl, {
        onSent(_chunk, connection) {
          const isNew = !connections.has(connection);
          connections.add(connection);
          return isNew && connections.size === index ? "before" : undefined;
        },
      });
      await using service = await start({
        databaseUrl: proxy.url,
        env: { WORKER_ROLES: "scans,journeys", WORKER_SHUTDOWN_MS: "500" },
      });
      expect(linesAbout(service, /uncaught/)).toEqual([]);
      return connections.size >= index;
    };
    const wereCut = [];
    for (let index = 1; index <= CONNECTIONS; index++) wereCut.push(await startWithCut(index));
    expect(wereCut.slice(0, 4)).toEqual([true, true, true, true]);
  });
});
