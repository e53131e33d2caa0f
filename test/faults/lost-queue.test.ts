import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { type ServiceProcess, startService } from "@waymark/test-support/service-process.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import {
  createHostedOrganization,
  type Organization,
  startWorkerProcess,
} from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { percentile, recordFigures } from "./support/figures.ts";
import { type OwnRedis, startOwnRedis } from "./support/own-redis.ts";
import { reckon } from "./support/recount.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import type { SentScan } from "./support/scan-stream.ts";
import { inParallel, submitScan, untilAllFinal } from "./support/submit.ts";

const SCANS = scaled({ short: 40, long: 3_000 });
const NOTHING_WRONG = { acceptedAndLost: 0, duplicates: 0, notFinal: 0, falseCompleted: 0, failed: 0 };

const started = new AsyncDisposableStack();
let redis: OwnRedis;
let databaseUrl: string;
let organization: Organization;
let http: HttpClient;
let api: ServiceProcess;
let worker: ServiceProcess;
const sent: SentScan[] = [];
const startedAt = Date.now();

beforeAll(async () => {
  announceSeed();
  redis = started.use(await startOwnRedis({ appendOnly: false }));
  ({ databaseUrl } = started.use(await createTestDatabase()));
  organization = await createHostedOrganization(databaseUrl);
  await redis.kill();
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  api = started.use(
    await startService("services/api/src/main.ts", {
      env: {
        DATABASE_URL: serviceUrl(databaseUrl),
        REDIS_URL: redis.url,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
      },
      isReady: async () => (await fetch(`${baseUrl}/healthz`)).status === 200,
    }),
  );
  http = createHttpClient(baseUrl, { key: organization.apiKey });
  const env = { WORKER_RECONCILE_MS: "500", WORKER_LEASE_MS: "3000" };
  worker = started.use(await startWorkerProcess({ databaseUrl, redisUrl: redis.url, env }));
});
afterAll(() => started.disposeAsync());

/** @returns the number of responses by status, and the milliseconds of each request */
async function submitMany(name: string, between: (number: number) => Promise<void> = async () => undefined) {
  const statuses: Record<number, number> = {};
  const times: number[] = [];
  await inParallel({ total: SCANS, atOnce: 20 }, async (number) => {
    const start = performance.now();
    const payload = scanPayload({ serviceName: `${name} ${number % 5}`, seed: `${name} ${number}` });
    const answer = await submitScan({ http, organizationId: organization.organizationId }, payload);
    times.push(performance.now() - start);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    sent.push(answer.sent);
    await between(number);
  });
  return { statuses, times };
}

describe("a queue that is lost", () => {
  it(
    "because Redis was never there: every scan is accepted, and completed once it is",
    { timeout: scaled({ short: 180_000, long: 1_200_000 }) },
    async () => {
      const ready = () => http.get<{ checks: { queue: string } }>("/readyz");
      await expect.poll(async () => (await ready()).body.checks.queue).toBe("can't be reached");
      expect((await ready()).status).toBe(200);
      const { statuses, times } = await submitMany("without");
      expect(statuses).toEqual({ 201: SCANS });

      // One line at its start, and at most one reminder a minute.
      const told = (service: ServiceProcess) =>
        service.logLines().filter((line) => String(line["msg"]).startsWith("the queue "));
      for (const service of [api, worker]) {
        const minutes = Math.ceil((Date.now() - startedAt) / 60_000);
        expect(told(service).length).toBeLessThanOrEqual(1 + minutes);
        const warnings = service.logLines().filter((line) => Number(line["level"]) >= 40);
        expect(warnings.length).toBeLessThan(5 + minutes);
      }
      await redis.start();
      const finalMs = await untilAllFinal({ databaseUrl }, { limitMs: 90_000 });
      const result = await reckon({ databaseUrl }, sent);
      recordFigures("Redis down for the whole test", {
        "scans sent": SCANS,
        accepted: statuses[201] ?? 0,
        "answered within (ms, p99)": Math.round(percentile(times, 0.99)),
        completed: result.completed,
        "accepted and lost": result.acceptedAndLost,
        "all completed after Redis returned (ms)": finalMs,
      });
      expect(result).toMatchObject({ ...NOTHING_WRONG, completed: SCANS });
      expect((await http.get("/readyz")).status).toBe(200);

      for (const service of [api, worker])
        await expect.poll(() => told(service).at(-1)?.["msg"]).toMatch(/can be reached again/);
    },
  );

  it(
    "because it is flushed in the middle of a stream: every scan is accepted and completed",
    { timeout: scaled({ short: 180_000, long: 1_200_000 }) },
    async () => {
      const random = createRandom("flush");
      const client = new Redis(redis.url);
      let flushes = 0;
      const before = sent.length;
      const { statuses } = await submitMany("flushed", async (number) => {
        // At random, and once in any case.
        if (number !== SCANS / 2 && random.next() > 0.03) return;
        flushes++;
        await client.flushall();
      });
      client.disconnect();
      expect(statuses).toEqual({ 201: SCANS });
      const finalMs = await untilAllFinal({ databaseUrl }, { limitMs: 90_000 });
      const result = await reckon({ databaseUrl }, sent);
      recordFigures("FLUSHALL in mid-stream", {
        "scans sent": SCANS,
        accepted: statuses[201] ?? 0,
        FLUSHALL: flushes,
        completed: result.completed - before,
        "accepted and lost": result.acceptedAndLost,
        "all completed after the last scan (ms)": finalMs,
      });
      expect(flushes).toBeGreaterThan(0);
      expect(result).toMatchObject({ ...NOTHING_WRONG, completed: before + SCANS });
    },
  );
});
