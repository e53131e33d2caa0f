import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { quickConfiguration, startLoadBalancer } from "@waymark/test-support/load-balancer.ts";
import { isLong } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { TestService } from "@waymark/test-support/service-process.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  startApi,
  startApiProcess,
  startWorker,
  startWorkerProcess,
} from "@waymark/test-support/stack.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { countUnfinished } from "./recount.ts";
import { REDIS_FAULTS, type RedisFault } from "./redis-faults.ts";
import type { SentScan } from "./scan-stream.ts";
import { submitAsCommand, untilAllFinal } from "./submit.ts";

const BEFORE_MS = 1_500;
/** Scans that each stream sends at least, however long one takes. One of them is large. */
const SCANS_MIN = 8;
/** How long the accepted scans may take to be persisted after the last one. */
const REST_MS = 60_000;
/** A limit that refuses no request, so that every scan is counted; and a time-out that Redis meets even on a busy machine. */
const API_ENV = { RATE_LIMIT_INGEST_PER_MINUTE: "100000", RATE_LIMIT_REDIS_TIMEOUT_MS: "500" };
/** On a busy machine, a check of an api that is ready may take longer than a second. */
const balance: typeof quickConfiguration = (...to) =>
  isLong
    ? quickConfiguration(...to)
    : quickConfiguration(...to).replace("timeout check 1s", "timeout check 30s");
/** The short form starts 20 services, and ends none of them in another way than by asking it to. */
const STARTS = isLong
  ? { api: startApiProcess, worker: startWorkerProcess }
  : { api: startApi, worker: startWorker };

interface Measured {
  service: TestService;
  metricsPort: number;
}

export interface RedisOutage extends AsyncDisposable {
  databaseUrl: string;
  fault: RedisFault;
  apis: readonly Measured[];
  worker: Measured;
  sent: SentScan[];
  answers: { status: number; tookMs: number; text: string }[];
  /** Milliseconds from the 201 to the completion, for each scan sent during the outage. */
  persistedAfterMs: number[];
  /** The number of scans that were accepted and not persisted when Redis came back. */
  unfinished: number;
  /** How often the load balancer removed an api. */
  drains: number;
  /** How an api and a worker ended that were started during the outage. */
  ends: { code: number | null; tookMs: number }[];
  /** When Redis came back, by the clock. */
  endedAt: number;
  submitFor(ms: number): Promise<void>;
}

/** Two apis behind a load balancer, a worker and a client that submits continuously, while Redis fails and comes back. */
export async function runRedisOutage(
  kind: keyof typeof REDIS_FAULTS,
  { awayMs, afterMs }: { awayMs: number; afterMs: number },
): Promise<RedisOutage> {
  const started = new AsyncDisposableStack();
  try {
    const fault = started.use(await REDIS_FAULTS[kind]());
    const { databaseUrl } = started.use(await createTestDatabase());
    const organization = await createHostedOrganization(databaseUrl);
    const addresses = { databaseUrl, redisUrl: fault.url };
    const [first, second, worker] = await Promise.all([
      measured((env) => STARTS.api({ ...addresses, env: { ...API_ENV, ...env } })),
      measured((env) => STARTS.api({ ...addresses, env: { ...API_ENV, ...env } })),
      measured((env) => STARTS.worker({ ...addresses, env })),
    ]);
    for (const { service } of [first, second, worker]) started.use(service);
    const balancer = started.use(
      await startLoadBalancer([first.service.baseUrl, second.service.baseUrl], balance),
    );
    const http = createHttpClient(balancer.baseUrl, { key: organization.apiKey });
    const client = createClient({ http, ...organization }, kind);

    await client.submitFor(BEFORE_MS);
    await fault.begin();
    const before = client.sent.length;
    const [ends] = await Promise.all([startAndStop(addresses), client.submitFor(awayMs)]);
    const sentWhileAway = client.sent.slice(before);
    await untilAllFinal({ databaseUrl }, { limitMs: REST_MS });
    const unfinished = await countUnfinished({ databaseUrl });
    const endedAt = Date.now();
    await fault.end();
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

async function measured<Service extends TestService>(
  start: (env: { METRICS_PORT: string }) => Promise<Service>,
): Promise<{ service: Service; metricsPort: number }> {
  const metricsPort = await findFreePort();
  return { service: await start({ METRICS_PORT: String(metricsPort) }), metricsPort };
}

/** One client, scan after scan, as the command sends them. Every eighth scan is large. */
function createClient(to: Parameters<typeof submitAsCommand>[0], seed: string) {
  const sent: RedisOutage["sent"] = [];
  const answers: RedisOutage["answers"] = [];
  return {
    sent,
    answers,
    async submitFor(ms: number): Promise<void> {
      const until = Date.now() + ms;
      const enough = sent.length + SCANS_MIN;
      while (Date.now() < until || sent.length < enough) {
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

/** Processes that start and stop meanwhile, as in a deployment. */
async function startAndStop(addresses: {
  databaseUrl: string;
  redisUrl: string;
}): Promise<RedisOutage["ends"]> {
  const ends: RedisOutage["ends"] = [];
  const services = [await STARTS.worker(addresses), await STARTS.api(addresses)];
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
