import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createDatabasePool, createPgPool } from "@waymark/server/db/pool.ts";
import { createLogger } from "@waymark/server/lib/logger.ts";
import { createMetricsRegistry } from "@waymark/server/observability/registry.ts";
import { openQueues } from "@waymark/server/queue/queues.ts";
import type { FastifyInstance } from "fastify";
import { vi } from "vitest";
import { buildApp } from "../../services/api/src/app/build-app.ts";
import { loadConfig } from "../../services/api/src/config.ts";

export interface RegisteredRoute {
  method: string;
  /** The pattern, such as `/api/scan-runs/:scanRunId`. */
  url: string;
  /** The zod schemas of its parts. */
  schema: Readonly<Record<string, unknown>>;
}

/** Every route of the api, including those that are not in `/openapi.json`. */
export async function registeredRoutes(databaseUrl: string): Promise<RegisteredRoute[]> {
  const routes: RegisteredRoute[] = [];
  const onInitialized = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook("onRoute", ({ method, url, schema = {} }) => {
      for (const one of [method].flat()) routes.push({ method: one, url, schema: { ...schema } });
    });
  };
  vi.stubEnv("DATABASE_URL", databaseUrl);
  const config = loadConfig();
  vi.unstubAllEnvs();
  const options = { max: 2, applicationName: "test", onError: () => undefined };
  const pool = createPgPool(databaseUrl, options);
  const db = await createDatabasePool(databaseUrl, options);
  const backend = { redisUrl: undefined, databaseUrl };
  const queues = openQueues(backend, options);
  const logger = createLogger({ service: "api", level: "silent" });
  subscribe("fastify.initialization", onInitialized);
  try {
    const observability = { logger, registry: createMetricsRegistry(), tracing: undefined };
    const readiness = async () => ({ ready: true, checks: { database: "ok", queue: "ok" } });
    const app = await buildApp({
      config,
      pool,
      db,
      queues,
      readiness,
      isDraining: () => false,
      observability,
    });
    await app.close();
    return routes;
  } finally {
    unsubscribe("fastify.initialization", onInitialized);
    await queues.close();
    await Promise.all([pool.end(), db.end()]);
  }
}
