import {
  integer,
  metricsPort,
  type ObservabilityConfig,
  observabilityConfig,
  sharedConfigFields,
} from "@waymark/shared/lib/config-fields.ts";
import { readConfig } from "@waymark/shared/lib/read-config.ts";
import { z } from "zod";

/** Every variable that the worker reads. A test compares the table in docs/operations.md with it. */
export const WorkerEnvironment = z.object({
  ...sharedConfigFields,
  METRICS_PORT: metricsPort(9465),
  /** How many batches one worker process persists concurrently. */
  WORKER_CONCURRENCY: integer({ min: 1, max: 64 }).default(2),
  /**
   * The nice value of this process: 0 is normal, 19 the lowest priority. So a burst of scans is accepted first and persisted
   * later.
   */
  WORKER_NICE: integer({ min: 0, max: 19 }).default(10),
  /** How long a claimed batch may take before another worker may claim it again. */
  WORKER_LEASE_MS: integer({ min: 500, max: 3_600_000 }).default(30_000),
  /** How often Postgres is polled for runs without an announcement: one indexed query that usually finds nothing. */
  WORKER_RECONCILE_MS: integer({ min: 100, max: 3_600_000 }).default(1_000),
  WORKER_HOUSEKEEPING_MS: integer({ min: 100, max: 86_400_000 }).default(600_000),
  /** Runs older than this many days are deleted. Unset, no runs are deleted. */
  RETENTION_DAYS: integer({ min: 1, max: 36_500 }).optional(),
  /** This many of each service's last runs are kept, whatever their age. */
  RETENTION_RUNS: integer({ min: 1, max: 1_000_000 }).default(10),
  /** Less than the 30 s after which a stopping process is killed, with some time to close. */
  WORKER_SHUTDOWN_MS: integer({ min: 100, max: 25_000 }).default(20_000),
});

export interface WorkerConfig extends ObservabilityConfig {
  databaseUrl: string;
  databaseDirectUrl: string;
  allowPrivilegedLogin: boolean;
  redisUrl: string | undefined;
  logLevel: string;
  concurrency: number;
  nice: number;
  leaseMs: number;
  reconcileMs: number;
  housekeepingMs: number;
  /** Undefined keeps everything. */
  retention: { keepDays: number; keepRuns: number } | undefined;
  shutdownMs: number;
}

/** @throws Error that lists every invalid variable */
export function loadConfig(): Readonly<WorkerConfig> {
  const env = readConfig(WorkerEnvironment, process.env);
  return Object.freeze({
    ...observabilityConfig(env),
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    allowPrivilegedLogin: env.ALLOW_PRIVILEGED_DATABASE_LOGIN,
    redisUrl: env.REDIS_URL,
    logLevel: env.LOG_LEVEL,
    concurrency: env.WORKER_CONCURRENCY,
    nice: env.WORKER_NICE,
    leaseMs: env.WORKER_LEASE_MS,
    reconcileMs: env.WORKER_RECONCILE_MS,
    housekeepingMs: env.WORKER_HOUSEKEEPING_MS,
    retention:
      env.RETENTION_DAYS === undefined
        ? undefined
        : { keepDays: env.RETENTION_DAYS, keepRuns: env.RETENTION_RUNS },
    shutdownMs: env.WORKER_SHUTDOWN_MS,
  });
}
