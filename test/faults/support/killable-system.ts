import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { type Organization, createOrganization } from "@waymark/test-support/stack.ts";
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

/**
 * Two apis, two workers and two organizations on a database of `postgres`: each process is started again when it ends.
 *
 * @param options.appendOnly of a Redis of its own; null for the queue on Postgres
 */
export async function startKillableSystem(
  postgres: OwnPostgres,
  options: { database: string; appendOnly: boolean | null },
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
  { database, appendOnly }: { database: string; appendOnly: boolean | null },
): Promise<KillableSystem> {
  const databaseUrl = await postgres.createDatabase(database);
  const redis = appendOnly === null ? null : started.use(await startOwnRedis({ appendOnly }));
  const organizations = [
    await createOrganization(databaseUrl, "Acme"),
    await createOrganization(databaseUrl, "Globex"),
  ] as const;
  const environment = async (more: Record<string, string>) => ({
    DATABASE_URL: serviceUrl(databaseUrl),
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
    METRICS_PORT: String(await findFreePort()),
    ...more,
  });
  const api = async (port: number) => {
    const env = await environment({ PORT: String(port) });
    return started.use(supervise("services/api/src/main.ts", { env, readyText: `Server listening` }));
  };
  const worker = async () => {
    // A short lease and sweep, so that what a killed worker held is soon found again.
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
  // Faults that begin earlier would hit nothing but start-ups.
  while (![...victims.apis, ...victims.workers].every((service) => service.isUp())) await sleep(50);
  return {
    databaseUrl,
    baseUrls: [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`],
    organizations,
    victims,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
