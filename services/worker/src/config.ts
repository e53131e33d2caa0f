import {
  integer,
  metricsPort,
  type ObservabilityConfig,
  observabilityConfig,
  sharedConfigFields,
} from "@waymark/shared/lib/config-fields.ts";
import { readConfig } from "@waymark/shared/lib/read-config.ts";
import { z } from "zod";

/** Every variable that the worker reads; the table in docs/operations.md is held against it. */
export const WorkerEnvironment = z.object({
  ...sharedConfigFields,
  METRICS_PORT: metricsPort(9465),
  /** How many batches one worker process persists at once. */
  WORKER_CONCURRENCY: integer({ min: 1, max: 64 }).default(2),
  /**
   * How far this process stands back where processors are short: 0 not at all, 19 furthest. A burst of scans is
   * accepted first and persisted next.
   */
  WORKER_NICE: integer({ min: 0, max: 19 }).default(10),
  /** How long a claimed batch may take before another worker may claim it again. */
  WORKER_LEASE_MS: integer({ min: 500, max: 3_600_000 }).default(30_000),
  /** How often Postgres is asked for runs that the queue did not tell of: one indexed query that mostly finds nothing. */
  WORKER_RECONCILE_MS: integer({ min: 100, max: 3_600_000 }).default(1_000),
  WORKER_HOUSEKEEPING_MS: integer({ min: 100, max: 86_400_000 }).default(600_000),
  /** Runs older than this many days are deleted. Without it nothing ever is. */
  RETENTION_DAYS: integer({ min: 1, max: 36_500 }).optional(),
  /** So many of each service's last runs are kept however old they are. */
  RETENTION_RUNS: integer({ min: 1, max: 1_000_000 }).default(10),
  /** Less than the 30 s after which a process that was told to stop is ended in any case, with a rest to close. */
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

/** @throws Error that lists every bad variable */
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
