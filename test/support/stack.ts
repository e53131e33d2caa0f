import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { openHost } from "./host/host.ts";
import { startHosted } from "./host/hosted-service.ts";
import type { Organization } from "./host/protocol.ts";
import { type HttpClient, createHttpClient } from "./http-client.ts";
import { type TestRedis, requireRedis } from "./redis.ts";
import { COMPILE_CACHE, runNode } from "./run-node.ts";
import { assertHoldsNoKeys } from "./secret-search.ts";
import { serviceUrl } from "./service-url.ts";
import { type ServiceProcess, startService, type TestService } from "./service-process.ts";
import { createTestDatabase } from "./test-database.ts";

/** Both queue backends, for `describe.each(QUEUES)`. */
export const QUEUES = ["postgres", "redis"] as const;
export type { Organization };
export type QueueName = (typeof QUEUES)[number];

interface ServiceOptions {
  /** The owner's; the process gets the services' login. */
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** Further variables, or other values than the defaults. */
  env?: Record<string, string>;
}

export type TestApi = TestService & { baseUrl: string };
export type ApiProcess = ServiceProcess & { baseUrl: string };

interface HostOptions {
  /** Services with another name here are in another process. */
  hostName?: string | undefined;
}

/** The key ring of the services under test. */
export const TEST_JOURNEY_KEYS = `test:${"dGVzdC1rZXk".repeat(4).slice(0, 43)}`;

/** An api on a free port of the loopback address, ready to serve, in a process that other tests use, too. */
export async function startApi({ hostName, ...options }: ServiceOptions & HostOptions): Promise<TestApi> {
  const { baseUrl, env } = await apiAddress(options);
  return Object.assign(await startHosted("api", { env, hostName }), { baseUrl });
}

/** Starts an api as `startApi` does, but in a process of its own, for tests of processes. */
export async function startApiProcess(options: ServiceOptions): Promise<ApiProcess> {
  const { baseUrl, env } = await apiAddress(options);
  const service = await startService("services/api/src/main.ts", {
    env,
    isReady: async () => (await fetch(`${baseUrl}/readyz`)).status === 200,
  });
  return Object.assign(service, { baseUrl });
}

/** A worker, ready to claim runs, in a process that other tests use, too. */
export async function startWorker(options: ServiceOptions): Promise<TestService> {
  return startHosted("worker", { env: await workerEnvironment(options) });
}

/** Starts a worker as `startWorker` does, but in a process of its own. */
export async function startWorkerProcess(options: ServiceOptions): Promise<ServiceProcess> {
  return startService("services/worker/src/main.ts", {
    env: await workerEnvironment(options),
    isReady: async (service) => service.output().includes("worker is ready"),
  });
}

/** A worker for journeys starts processes: only tests of journeys ask for that. */
async function workerEnvironment(options: ServiceOptions) {
  return { WORKER_ROLES: "scans", ...COMPILE_CACHE, ...environment(options, await findFreePort()) };
}

async function apiAddress(options: ServiceOptions) {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    env: { PORT: String(port), HOST: "127.0.0.1", ...environment(options, metricsPort) },
  };
}

function environment(
  { databaseUrl, redisUrl, env = {} }: ServiceOptions,
  metricsPort: number,
): Record<string, string> {
  const { DATABASE_DIRECT_URL: directUrl } = env;
  return {
    DATABASE_URL: serviceUrl(databaseUrl),
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    METRICS_PORT: String(metricsPort),
    JOURNEY_KEYS: TEST_JOURNEY_KEYS,
    ...env,
    ...(directUrl === undefined ? {} : { DATABASE_DIRECT_URL: serviceUrl(directUrl) }),
  };
}

/** An organization and its first key, made with the operator's command. */
export async function createOrganization(databaseUrl: string, name = "Acme"): Promise<Organization> {
  const args = ["services/api/src/admin.ts", "create-organization", name, "--json"];
  return JSON.parse(await runNode(args, { DATABASE_URL: databaseUrl })) as Organization;
}

/** An organization and its first key, made in the process of other tests' services. */
export function createHostedOrganization(databaseUrl: string, name = "Acme"): Promise<Organization> {
  return openHost().ask("organization", { databaseUrl, name });
}

export interface Stack extends AsyncDisposable, Organization {
  databaseUrl: string;
  redisUrl: string | undefined;
  api: TestApi;
  worker: TestService;
  /** Uses the organization's first key. */
  http: HttpClient;
}

export interface ProcessStack extends Stack {
  api: ApiProcess;
  worker: ServiceProcess;
}

export interface StackOptions {
  /** A migrated database of the test's own, instead of a new one. */
  databaseUrl?: string;
  queue?: QueueName;
  /** The organization's name. */
  organization?: string;
  apiEnv?: Record<string, string>;
  workerEnv?: Record<string, string>;
}

/**
 * A database, an organization, one api and one worker: the whole of Waymark, on either queue backend. Disposing fails
 * when a raw API key was left in a table, the queue or a log.
 */
export function startStack(options: StackOptions = {}): Promise<Stack> {
  return startParts(options, { startApi, startWorker });
}

/** Starts such a stack with processes of its own, for tests that kill, stop or measure them. */
export function startProcessStack(options: StackOptions = {}): Promise<ProcessStack> {
  return startParts(options, {
    startApi: startApiProcess,
    startWorker: startWorkerProcess,
  });
}

interface Starts<Api, Worker> {
  startApi: (options: ServiceOptions) => Promise<Api>;
  startWorker: (options: ServiceOptions) => Promise<Worker>;
}

async function startParts<Api extends TestApi, Worker extends TestService>(
  { databaseUrl: own, queue = "postgres", organization: name, apiEnv = {}, workerEnv = {} }: StackOptions,
  starts: Starts<Api, Worker>,
) {
  const started = new AsyncDisposableStack();
  try {
    const databaseUrl = own ?? started.use(await createTestDatabase()).databaseUrl;
    const redis: TestRedis | undefined = queue === "redis" ? started.use(await requireRedis()) : undefined;
    const addresses = { databaseUrl, redisUrl: redis?.url };
    const parts = [
      createHostedOrganization(databaseUrl, name),
      starts.startApi({ ...addresses, env: apiEnv }).then((service) => started.use(service)),
      starts.startWorker({ ...addresses, env: workerEnv }).then((service) => started.use(service)),
    ] as const;
    // If one fails, waits for the others, so that all can be stopped.
    await Promise.allSettled(parts);
    const [organization, api, worker] = await Promise.all(parts);
    const http = createHttpClient(api.baseUrl, { key: organization.apiKey });
    return disposable({ ...organization, ...addresses, api, worker, http }, started);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

function disposable<Parts extends Omit<Stack, keyof AsyncDisposable>>(
  parts: Parts,
  started: AsyncDisposableStack,
): Parts & AsyncDisposable {
  const first = [parts.api, parts.worker];
  const dispose = async () => {
    try {
      if (!started.disposed) await assertHoldsNoKeys(parts);
    } finally {
      // A test may have put another one in its place.
      for (const now of [parts.api, parts.worker]) if (!first.includes(now)) await now.stop();
      await started.disposeAsync();
    }
  };
  return Object.assign(parts, { [Symbol.asyncDispose]: dispose });
}

/** Polls a scan run until the worker is done with it, and returns its last state. */
export async function waitForScanRun<T extends { status: string }>(
  http: HttpClient,
  scanRunId: string,
  { timeoutMs = 60_000 } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { status, body, text } = await http.get<T>(`/api/scan-runs/${scanRunId}`);
    if (status !== 200) throw new Error(`GET /api/scan-runs/${scanRunId} answered ${status}: ${text}`);
    if (body.status === "completed" || body.status === "failed") return body;
    if (Date.now() > deadline) throw new Error(`Scan run ${scanRunId} is still ${body.status}: ${text}`);
    await sleep(20);
  }
}
