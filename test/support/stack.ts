import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { type HttpClient, createHttpClient } from "./http-client.ts";
import { type TestRedis, requireRedis } from "./redis.ts";
import { runNode } from "./run-node.ts";
import { assertHoldsNoKeys } from "./secret-search.ts";
import { serviceUrl } from "./service-url.ts";
import { type ServiceProcess, startService } from "./service-process.ts";
import { createTestDatabase } from "./test-database.ts";

/** Both queue backends, for `describe.each(QUEUES)`. */
export const QUEUES = ["postgres", "redis"] as const;
export type QueueName = (typeof QUEUES)[number];

export interface Organization {
  organizationId: string;
  apiKey: string;
}

interface ServiceOptions {
  /** The owner's; the process gets the services' login. */
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** More variables, or others than the defaults. */
  env?: Record<string, string>;
}

export interface TestApi extends ServiceProcess {
  baseUrl: string;
}

/** A real api process on a free port of the loopback address, ready to serve. */
export async function startApi(options: ServiceOptions): Promise<TestApi> {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const service = await startService("services/api/src/main.ts", {
    env: { PORT: String(port), HOST: "127.0.0.1", ...environment(options, metricsPort) },
    isReady: async () => (await fetch(`${baseUrl}/readyz`)).status === 200,
  });
  return Object.assign(service, { baseUrl });
}

/** A real worker process, ready to claim runs. */
export async function startWorker(options: ServiceOptions): Promise<ServiceProcess> {
  return startService("services/worker/src/main.ts", {
    env: environment(options, await findFreePort()),
    isReady: async (service) => service.output().includes("worker is ready"),
  });
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
    ...env,
    ...(directUrl === undefined ? {} : { DATABASE_DIRECT_URL: serviceUrl(directUrl) }),
  };
}

/** An organization and its first key, made with the operator's command. */
export async function createOrganization(databaseUrl: string, name = "Acme"): Promise<Organization> {
  const args = ["services/api/src/admin.ts", "create-organization", name, "--json"];
  return JSON.parse(await runNode(args, { DATABASE_URL: databaseUrl })) as Organization;
}

export interface Stack extends AsyncDisposable, Organization {
  databaseUrl: string;
  redisUrl: string | undefined;
  api: TestApi;
  worker: ServiceProcess;
  /** Uses the organization's first key. */
  http: HttpClient;
}

export interface StackOptions {
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
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const started = new AsyncDisposableStack();
  try {
    return await startParts(started, options);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function startParts(
  started: AsyncDisposableStack,
  { queue = "postgres", organization: name, apiEnv = {}, workerEnv = {} }: StackOptions,
): Promise<Stack> {
  const database = started.use(await createTestDatabase());
  const redis: TestRedis | undefined = queue === "redis" ? started.use(await requireRedis()) : undefined;
  const addresses = { databaseUrl: database.databaseUrl, redisUrl: redis?.url };
  const parts = [
    createOrganization(database.databaseUrl, name),
    startApi({ ...addresses, env: apiEnv }).then((service) => started.use(service)),
    startWorker({ ...addresses, env: workerEnv }).then((service) => started.use(service)),
  ] as const;
  // Those that still start when one fails must be there to be ended, too.
  await Promise.allSettled(parts);
  const [organization, api, worker] = await Promise.all(parts);
  const stack = {
    ...organization,
    ...addresses,
    api,
    worker,
    http: createHttpClient(api.baseUrl, { key: organization.apiKey }),
  };
  const dispose = async () => {
    try {
      if (!started.disposed) await assertHoldsNoKeys(stack);
    } finally {
      await started.disposeAsync();
    }
  };
  return Object.assign(stack, { [Symbol.asyncDispose]: dispose });
}

/** Polls a scan run until the worker is done with it, and returns its last state. */
export async function waitForScanRun<T extends { status: string }>(
  http: HttpClient,
  scanRunId: string,
  { timeoutMs = 20_000 } = {},
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
