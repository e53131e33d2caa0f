import type { EgressAllowance } from "@waymark/journey-transport/egress.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import {
  egressAllowances,
  integer,
  metricsPort,
  numberOrOff,
  type ObservabilityConfig,
  observabilityConfig,
  sharedConfigFields,
} from "@waymark/server/lib/config-fields.ts";
import { readConfig } from "@waymark/server/lib/read-config.ts";
import { z } from "zod";

/** A kind of work that a worker process does. */
type Role = "scans" | "journeys";

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
  /** Scan runs older than this many days are deleted; `off` keeps every run. */
  RETENTION_DAYS: numberOrOff("days", 36_500).prefault("400"),
  /** This many of each service's last runs are kept, whatever their age. */
  RETENTION_RUNS: integer({ min: 1, max: 1_000_000 }).default(10),
  /** Days from the end of a journey's run for which its requests and responses are kept. They may be personal data. */
  RETENTION_EVIDENCE_DAYS: integer({ min: 1, max: 36_500 }).default(30),
  /** Days from the end of a journey's run for which its steps and its result are kept. */
  RETENTION_RESULT_DAYS: integer({ min: 1, max: 36_500 }).default(90),
  /** Days from the end of a journey's run for which the run is kept, with what it counts for coverage. */
  RETENTION_JOURNEY_RUN_DAYS: integer({ min: 1, max: 36_500 }).default(400),
  /** Less than the 30 s after which a stopping process is killed, with some time to close. */
  WORKER_SHUTDOWN_MS: integer({ min: 100, max: 25_000 }).default(20_000),
  /** The kinds of work that this process does. */
  WORKER_ROLES: z
    .string()
    .regex(/^(scans|journeys)(,(scans|journeys))*$/, "must be scans, journeys or scans,journeys")
    .default("scans,journeys"),
  /** How many journeys run at a time, each in a process. More than one organization may have, so that none takes them all. */
  WORKER_JOURNEY_CONCURRENCY: integer({ min: 1, max: 200 }).default(12),
  /** How long a run may be without a sign of life of its worker before another one tears it down. */
  WORKER_JOURNEY_LEASE_MS: integer({ min: 4_000, max: 600_000 }).default(20_000),
  /** Addresses that journeys may reach besides public ones: `10.0.0.0/8:443,127.0.0.1:8080`. */
  JOURNEY_EGRESS_ALLOW: egressAllowances.optional(),
  /** The api's port, where it runs on the same machine: journeys never reach it. */
  PORT: integer({ min: 0, max: 65_535 }).default(3000),
  /** Certificates that Node trusts besides its own: for the processes of runs. */
  NODE_EXTRA_CA_CERTS: z.string().optional(),
  /** Where Node keeps compiled code: the processes of runs start faster with it. */
  NODE_COMPILE_CACHE: z.string().optional(),
});

export interface WorkerConfig extends ObservabilityConfig {
  databaseUrl: string;
  databaseDirectUrl: string;
  allowPrivilegedLogin: boolean;
  redisUrl: string | undefined;
  /** Undefined: no journey with secrets can run. */
  keyRing: KeyRing | undefined;
  logLevel: string;
  concurrency: number;
  nice: number;
  leaseMs: number;
  reconcileMs: number;
  housekeepingMs: number;
  retention: {
    /** Undefined keeps every scan. */
    scans: { keepDays: number; keepRuns: number } | undefined;
    journeys: { evidenceDays: number; resultDays: number; runDays: number };
  };
  shutdownMs: number;
  roles: readonly Role[];
  journeys: {
    concurrency: number;
    leaseMs: number;
    egressAllow: readonly EgressAllowance[];
    apiPort: number;
    /** The environment of the processes of runs: nothing of this process's own. */
    runnerEnv: Record<string, string>;
  };
}

/** @throws Error that lists every invalid variable */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Readonly<WorkerConfig> {
  const env = readConfig(WorkerEnvironment, variables);
  return Object.freeze({
    ...observabilityConfig(env),
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    allowPrivilegedLogin: env.ALLOW_PRIVILEGED_DATABASE_LOGIN,
    redisUrl: env.REDIS_URL,
    keyRing: env.JOURNEY_KEYS,
    logLevel: env.LOG_LEVEL,
    concurrency: env.WORKER_CONCURRENCY,
    nice: env.WORKER_NICE,
    leaseMs: env.WORKER_LEASE_MS,
    reconcileMs: env.WORKER_RECONCILE_MS,
    housekeepingMs: env.WORKER_HOUSEKEEPING_MS,
    retention: {
      scans:
        env.RETENTION_DAYS === undefined
          ? undefined
          : { keepDays: env.RETENTION_DAYS, keepRuns: env.RETENTION_RUNS },
      journeys: {
        evidenceDays: env.RETENTION_EVIDENCE_DAYS,
        resultDays: env.RETENTION_RESULT_DAYS,
        runDays: env.RETENTION_JOURNEY_RUN_DAYS,
      },
    },
    shutdownMs: env.WORKER_SHUTDOWN_MS,
    roles: (["scans", "journeys"] as const).filter((role) => env.WORKER_ROLES.split(",").includes(role)),
    journeys: {
      concurrency: env.WORKER_JOURNEY_CONCURRENCY,
      leaseMs: env.WORKER_JOURNEY_LEASE_MS,
      egressAllow: env.JOURNEY_EGRESS_ALLOW ?? [],
      apiPort: env.PORT,
      runnerEnv: {
        // Names are looked up by these threads: a slow name server must not hold up the files of a run.
        UV_THREADPOOL_SIZE: "16",
        ...(env.NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS: env.NODE_EXTRA_CA_CERTS }),
        ...(env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE }),
      },
    },
  });
}
