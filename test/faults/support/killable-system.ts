import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { type Organization, createHostedOrganization } from "@waymark/test-support/stack.ts";
import type { Victims } from "./fault-plan.ts";
import type { OwnPostgres } from "./own-postgres.ts";
import { startOwnRedis } from "./own-redis.ts";
import { supervise } from "./supervised.ts";

export interface KillableSystem extends AsyncDisposable {
  databaseUrl: string;
  baseUrls: readonly [string, string];
  organizations: readonly [Organization, Organization];
  victims: Victims;
}

interface KillableOptions {
  database: string;
  /** Whether its own Redis writes an append-only file; null for the queue on Postgres. */
  appendOnly: boolean | null;
  /** More variables for all processes. */
  env?: Record<string, string>;
}

/** Two apis, two workers and two organizations on a database of `postgres`. Each process is restarted when it ends. */
export async function startKillableSystem(
  postgres: OwnPostgres,
  options: KillableOptions,
): Promise<KillableSystem> {
  const started = new AsyncDisposableStack();
  try {
    return await startParts(started, postgres, options);
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function startParts(
  started: AsyncDisposableStack,
  postgres: OwnPostgres,
  { database, appendOnly, env: given = {} }: KillableOptions,
): Promise<KillableSystem> {
  const databaseUrl = await postgres.createDatabase(database);
  const redis = appendOnly === null ? null : started.use(await startOwnRedis({ appendOnly }));
  const organizations = [
    await createHostedOrganization(databaseUrl, "Acme"),
    await createHostedOrganization(databaseUrl, "Globex"),
  ] as const;
  const environment = async (more: Record<string, string>) => ({
    DATABASE_URL: serviceUrl(databaseUrl),
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
    METRICS_PORT: String(await findFreePort()),
    ...more,
    ...given,
  });
  const api = async (port: number) => {
    const env = await environment({ PORT: String(port) });
    return started.use(supervise("services/api/src/main.ts", { env, readyText: `Server listening` }));
  };
  const worker = async () => {
    // A short lease and polling interval, so that the runs of a killed worker are soon found.
    const env = await environment({ WORKER_LEASE_MS: "3000", WORKER_RECONCILE_MS: "500" });
    return started.use(supervise("services/worker/src/main.ts", { env, readyText: "worker is ready" }));
  };
  const ports = [await findFreePort(), await findFreePort()] as const;
  const victims = {
    apis: [await api(ports[0]), await api(ports[1])],
    workers: [await worker(), await worker()],
    postgres,
    redis,
  } as const;
  // Earlier faults would only hit processes that are starting.
  const services = [...victims.apis, ...victims.workers];
  await waitUntil("the start of all services", () => services.every((service) => service.isUp()), {
    withinMs: 180_000,
  }).catch((error: unknown) => {
    const late = services.filter((service) => !service.isUp());
    const outputs = late.map((service) => service.lastOutput() || "(it printed nothing)");
    throw new Error(`not up:\n${outputs.join("\n---\n")}`, { cause: error });
  });
  return {
    databaseUrl,
    baseUrls: [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`],
    organizations,
    victims,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
