import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { startLoadBalancer } from "@waymark/test-support/load-balancer.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { ServiceProcess } from "@waymark/test-support/service-process.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createOrganization, startApi, startWorker } from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { countUnfinished } from "./recount.ts";
import { REDIS_FAULTS, type RedisFault } from "./redis-faults.ts";
import type { SentScan } from "./scan-stream.ts";
import { submitAsCommand, untilAllFinal } from "./submit.ts";

const BEFORE_MS = 1_500;
/** How long what was accepted may take to be persisted once no more comes. */
const REST_MS = 5_000;
/** So high that nobody is refused; every scan is counted. However busy the machine is, Redis is not too slow for it. */
const API_ENV = { RATE_LIMIT_INGEST_PER_MINUTE: "100000", RATE_LIMIT_REDIS_TIMEOUT_MS: "500" };

interface Measured {
  service: ServiceProcess;
  metricsPort: number;
}

export interface RedisOutage extends AsyncDisposable {
  databaseUrl: string;
  fault: RedisFault;
  apis: readonly Measured[];
  worker: Measured;
  sent: SentScan[];
  answers: { status: number; tookMs: number; text: string }[];
  /** Of the scans that were sent while Redis was away: milliseconds from their 201 to being completed. */
  persistedAfterMs: number[];
  /** Accepted, and not persisted when Redis came back. */
  unfinished: number;
  /** How often the load balancer took an api out. */
  drains: number;
  /** Of an api and a worker that were started while Redis was away. */
  ends: { code: number | null; tookMs: number }[];
  /** When Redis was back, by the clock. */
  endedAt: number;
  submitFor(ms: number): Promise<void>;
}

/** Two apis behind a load balancer, a worker and a client that submits all the time, while Redis goes away and returns. */
export async function runRedisOutage(
  kind: keyof typeof REDIS_FAULTS,
  { awayMs, afterMs }: { awayMs: number; afterMs: number },
): Promise<RedisOutage> {
  const started = new AsyncDisposableStack();
  try {
    const fault = started.use(await REDIS_FAULTS[kind]());
    const { databaseUrl } = started.use(await createTestDatabase());
    const organization = await createOrganization(databaseUrl);
    const addresses = { databaseUrl, redisUrl: fault.url };
    const [first, second, worker] = await Promise.all([
      measured((env) => startApi({ ...addresses, env: { ...API_ENV, ...env } })),
      measured((env) => startApi({ ...addresses, env: { ...API_ENV, ...env } })),
      measured((env) => startWorker({ ...addresses, env })),
    ]);
    for (const { service } of [first, second, worker]) started.use(service);
    const balancer = started.use(await startLoadBalancer([first.service.baseUrl, second.service.baseUrl]));
    const http = createHttpClient(balancer.baseUrl, { key: organization.apiKey });
    const client = createClient({ http, ...organization }, kind);

    await client.submitFor(BEFORE_MS);
    await fault.begin();
    const before = client.sent.length;
    const [ends] = await Promise.all([startAndStop(addresses), client.submitFor(awayMs)]);
    const sentWhileAway = client.sent.slice(before);
    await untilAllFinal({ databaseUrl }, { limitMs: REST_MS });
    const unfinished = await countUnfinished({ databaseUrl });
    await fault.end();
    const endedAt = Date.now();
    await client.submitFor(afterMs);
    const drains = await balancer.drains();
    await untilAllFinal({ databaseUrl }, { limitMs: 60_000 });
    const persistedAfterMs = await waitsOf({ databaseUrl }, sentWhileAway);
    return {
      ...client,
      databaseUrl,
      fault,
      apis: [first, second],
      worker,
      persistedAfterMs,
      unfinished,
      drains,
      ends,
      endedAt,
      [Symbol.asyncDispose]: () => started.disposeAsync(),
    };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function measured<Service extends ServiceProcess>(
  start: (env: { METRICS_PORT: string }) => Promise<Service>,
): Promise<{ service: Service; metricsPort: number }> {
  const metricsPort = await findFreePort();
  return { service: await start({ METRICS_PORT: String(metricsPort) }), metricsPort };
}

/** One client, scan after scan, in the form of the shipped command. Every eighth scan is large. */
function createClient(to: Parameters<typeof submitAsCommand>[0], seed: string) {
  const sent: RedisOutage["sent"] = [];
  const answers: RedisOutage["answers"] = [];
  return {
    sent,
    answers,
    async submitFor(ms: number): Promise<void> {
      const until = Date.now() + ms;
      while (Date.now() < until) {
        const number = sent.length;
        const size = number % 8 === 7 ? { endpoints: 1_500 } : {};
        const payload = scanPayload({
          serviceName: `service ${number % 5}`,
          seed: `${seed} ${number}`,
          ...size,
        });
        const begin = performance.now();
        const { sent: scan, ...answer } = await submitAsCommand(to, payload);
        answers.push({ ...answer, tookMs: performance.now() - begin });
        sent.push(scan);
        await sleep(100 + 200 * Math.random());
      }
    },
  };
}

/** Processes that come up and go down meanwhile, as in a deployment. */
async function startAndStop(addresses: {
  databaseUrl: string;
  redisUrl: string;
}): Promise<RedisOutage["ends"]> {
  const ends: RedisOutage["ends"] = [];
  const services = [await startWorker(addresses), await startApi(addresses)];
  await sleep(500);
  for (const service of services) {
    const begin = Date.now();
    const { code } = await service.stop();
    ends.push({ code, tookMs: Date.now() - begin });
  }
  return ends;
}

/** By the database's clock. */
async function waitsOf(database: { databaseUrl: string }, scans: readonly SentScan[]): Promise<number[]> {
  const rows = await query<{ ms: number | null }>(
    database,
    `SELECT (extract(epoch FROM completed_at - created_at) * 1000)::int AS ms
     FROM scan_runs WHERE id = ANY($1::uuid[])`,
    [scans.flatMap(({ scanRunId }) => scanRunId ?? [])],
  );
  return rows.map(({ ms }) => ms ?? Infinity);
}
