import type { EgressAllowance } from "@waymark/journey-transport/egress.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import {
  egressAllowances,
  integer,
  keyRingFields,
  metricsPort,
  type ObservabilityConfig,
  observabilityConfig,
  ownerConfigFields,
  replicaFields,
  sharedConfigFields,
} from "@waymark/server/lib/config-fields.ts";
import { readConfig } from "@waymark/server/lib/read-config.ts";
import { z } from "zod";
import { basePathProblem } from "./lib/base-path.ts";
import { perDay, perMinute, TrustProxy } from "./lib/config-fields.ts";

/** The operator's limits for keys. */
const keyPolicyFields = { API_KEY_LIFETIME_DAYS_MAX: integer({ min: 1, max: 36_500 }).optional() };

/** Addresses of issuers of workloads' tokens and of identity providers that are read besides public ones: `10.0.0.0/8:443`. */
const issuerFields = { ISSUER_EGRESS_ALLOW: egressAllowances.optional() };

/** Zod asks this also of a text that is no address, which has its own message. */
function publicAddressProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  if (/[?#]/.test(url)) return "must not have a query or a fragment";
  return basePathProblem(new URL(url).pathname);
}

/** Every variable that the api reads. A test compares the table in docs/operations.md with it. */
export const ApiEnvironment = z.object({
  ...sharedConfigFields,
  ...replicaFields,
  METRICS_PORT: metricsPort(9464),
  HOST: z.string().default("127.0.0.1"),
  PORT: integer({ min: 0, max: 65_535 }).default(3000),
  PUBLIC_BASE_URL: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// address" })
    .check((ctx) => {
      const problem = publicAddressProblem(ctx.value);
      if (problem !== undefined) ctx.issues.push({ code: "custom", message: problem, input: ctx.value });
    })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  MAX_BODY_BYTES: integer({ min: 1024, max: 1024 ** 3 }).default(10 * 1024 * 1024),
  /** The total size of request bodies in memory. */
  MAX_BODY_BYTES_IN_FLIGHT: integer({ min: 1024 ** 2, max: 64 * 1024 ** 3 }).default(256 * 1024 * 1024),
  DATABASE_POOL_MAX: integer({ min: 2, max: 200 }).default(10),
  TRUST_PROXY: TrustProxy.optional(),
  /** How long a session of the console may be idle. At most its lifetime of 12 hours. */
  SESSION_IDLE_MINUTES: integer({ min: 5, max: 720 }).default(60),
  /** Off: keys open no sessions of the console, and people sign in by identity providers only. */
  KEY_SIGN_IN: z.enum(["on", "off"]).default("on"),
  ...keyPolicyFields,
  RATE_LIMIT_KEY_PER_MINUTE: perMinute().prefault("12000"),
  /** For keys that may submit scans and are not a person's. A fleet may share one, and sends some requests besides each scan. */
  RATE_LIMIT_CI_KEY_PER_MINUTE: perMinute().prefault("120000"),
  RATE_LIMIT_INGEST_PER_MINUTE: perMinute().optional(),
  RATE_LIMIT_FAILED_AUTH_PER_MINUTE: perMinute().prefault("600"),
  RATE_LIMIT_ORGANIZATION_PER_MINUTE: perMinute().optional(),
  /** The daily limits of one organization. The day ends at midnight UTC. */
  ORGANIZATION_SCANS_PER_DAY: perDay("scans").optional(),
  ORGANIZATION_BYTES_PER_DAY: perDay("bytes").optional(),
  /** The shortest interval of schedules of journeys. */
  JOURNEY_SCHEDULE_MINUTES_MIN: integer({ min: 1, max: 1_440 }).default(5),
  /** How many requests may wait for one of those connections. Further requests get 503. */
  DATABASE_WAITING_MAX: integer({ min: 1, max: 100_000 }).default(500),
  /** The maximum number of client connections, including idle ones. Further ones are closed. */
  MAX_CONNECTIONS: integer({ min: 10, max: 1_000_000 }).default(16_000),
  /** How long a client may take to send its headers, and its whole request. */
  HEADERS_TIMEOUT_MS: integer({ min: 1_000, max: 600_000 }).default(15_000),
  REQUEST_TIMEOUT_MS: integer({ min: 1_000, max: 3_600_000 }).default(60_000),
  /** The organization whose keys and sessions with `operations:read` see the queues. */
  OPERATIONS_ORGANIZATION_ID: z.uuid().optional(),
  /** How long the api goes on serving after a signal, with `/readyz` at 503. */
  SHUTDOWN_DELAY_MS: integer({ min: 0, max: 120_000 }).default(0),
  ...issuerFields,
  /** The folder of the packed command; that of the image or the checkout, if not given. */
  DOWNLOADS_FOLDER: z.string().min(1).optional(),
  /** How long a request waits for Redis to count it before this process counts for itself. */
  RATE_LIMIT_REDIS_TIMEOUT_MS: integer({ min: 1, max: 10_000 }).default(15),
});

export interface ApiConfig extends ObservabilityConfig {
  host: string;
  port: number;
  databaseUrl: string;
  databaseDirectUrl: string;
  /** Undefined: all reads go to the primary. */
  databaseReplicaUrl: string | undefined;
  allowPrivilegedLogin: boolean;
  redisUrl: string | undefined;
  /** Undefined: secrets of environments can't be set. */
  keyRing: KeyRing | undefined;
  logLevel: string;
  publicBaseUrl: string | undefined;
  bodyBytesMax: number;
  bodyBytesInFlightMax: number;
  databasePoolMax: number;
  /** The proxies whose X-Forwarded-For is trusted: none, the last n hops, or these addresses and networks. */
  trustProxy: false | string[] | ((address: string, hop: number) => boolean);
  sessionIdleMinutes: number;
  keySignIn: boolean;
  /** Requests per minute: per key, per key of a CI fleet, per key on ingest, and failed ones per client address. Undefined means no limit. */
  keyPerMinute: number | undefined;
  ciKeyPerMinute: number | undefined;
  ingestPerMinute: number | undefined;
  failedAuthenticationsPerMinute: number | undefined;
  /** The maximum lifetime of a new API key; undefined for no maximum. */
  keyLifetimeDaysMax: number | undefined;
  /** Per organization: requests of all its keys, accepted scans and their decoded bytes. Undefined means no limit. */
  organizationPerMinute: number | undefined;
  organizationScansPerDay: number | undefined;
  organizationBytesPerDay: number | undefined;
  scheduleMinutesMin: number;
  databaseWaitingMax: number;
  connectionsMax: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  shutdownDelayMs: number;
  operationsOrganizationId: string | undefined;
  countingTimeoutMs: number;
  downloadsFolder: string | undefined;
  issuerEgressAllow: readonly EgressAllowance[];
}

/** @throws Error that lists every invalid variable */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Readonly<ApiConfig> {
  const env = readConfig(ApiEnvironment, variables);
  return Object.freeze({
    ...observabilityConfig(env),
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    databaseReplicaUrl: env.DATABASE_REPLICA_URL,
    allowPrivilegedLogin: env.ALLOW_PRIVILEGED_DATABASE_LOGIN,
    redisUrl: env.REDIS_URL,
    keyRing: env.JOURNEY_KEYS,
    logLevel: env.LOG_LEVEL,
    publicBaseUrl: env.PUBLIC_BASE_URL,
    bodyBytesMax: env.MAX_BODY_BYTES,
    bodyBytesInFlightMax: env.MAX_BODY_BYTES_IN_FLIGHT,
    databasePoolMax: env.DATABASE_POOL_MAX,
    trustProxy: env.TRUST_PROXY ?? false,
    sessionIdleMinutes: env.SESSION_IDLE_MINUTES,
    keySignIn: env.KEY_SIGN_IN === "on",
    keyPerMinute: env.RATE_LIMIT_KEY_PER_MINUTE,
    ciKeyPerMinute: env.RATE_LIMIT_CI_KEY_PER_MINUTE,
    ingestPerMinute: env.RATE_LIMIT_INGEST_PER_MINUTE,
    failedAuthenticationsPerMinute: env.RATE_LIMIT_FAILED_AUTH_PER_MINUTE,
    keyLifetimeDaysMax: env.API_KEY_LIFETIME_DAYS_MAX,
    organizationPerMinute: env.RATE_LIMIT_ORGANIZATION_PER_MINUTE,
    organizationScansPerDay: env.ORGANIZATION_SCANS_PER_DAY,
    organizationBytesPerDay: env.ORGANIZATION_BYTES_PER_DAY,
    scheduleMinutesMin: env.JOURNEY_SCHEDULE_MINUTES_MIN,
    databaseWaitingMax: env.DATABASE_WAITING_MAX,
    connectionsMax: env.MAX_CONNECTIONS,
    headersTimeoutMs: env.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
    operationsOrganizationId: env.OPERATIONS_ORGANIZATION_ID,
    shutdownDelayMs: env.SHUTDOWN_DELAY_MS,
    countingTimeoutMs: env.RATE_LIMIT_REDIS_TIMEOUT_MS,
    downloadsFolder: env.DOWNLOADS_FOLDER,
    issuerEgressAllow: env.ISSUER_EGRESS_ALLOW ?? [],
  });
}

/** Every variable that `migrate` and `admin` read. */
export const OwnerEnvironment = z.object(ownerConfigFields);

/** The configuration of `migrate` and `admin`: a direct connection with a login that may create tables. */
export function loadOwnerConfig(): { databaseUrl: string; serviceDatabaseUrl: string | undefined } {
  const env = readConfig(OwnerEnvironment, process.env);
  return {
    databaseUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    serviceDatabaseUrl: env.SERVICE_DATABASE_URL,
  };
}

/** The key ring for `rotate-keys`. */
export function loadKeyRing(): KeyRing | undefined {
  return readConfig(z.object(keyRingFields), process.env).JOURNEY_KEYS;
}

/** The private addresses of issuers and identity providers that may be read. */
export function loadIssuerEgressAllow(): readonly EgressAllowance[] {
  return readConfig(z.object(issuerFields), process.env).ISSUER_EGRESS_ALLOW ?? [];
}

/** The maximum lifetime of keys, which the operator's own command may exceed; undefined for none. */
export function loadKeyLifetimeDaysMax(): number | undefined {
  return readConfig(z.object(keyPolicyFields), process.env).API_KEY_LIFETIME_DAYS_MAX;
}
