import {
  type EgressAllowance,
  EgressListError,
  parseEgressAllowances,
} from "@waymark/journey-transport/egress.ts";
import { z } from "zod";
import { canonicalDatabaseUrl } from "../db/address/connection.ts";
import { parseDatabaseUrl } from "../db/address/parse.ts";
import { KeyRingField } from "../encryption/key-ring.ts";
import { RedisUrl } from "./redis/field.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";

/** An address of Postgres in any form of libpq that Waymark supports, as the one form that all of its readers take. */
const postgresUrl = (required?: string) =>
  z.string(required).transform((value, ctx) => {
    try {
      return canonicalDatabaseUrl(value);
    } catch (error) {
      ctx.addIssue({ code: "custom", message: toError(error).message });
      return z.NEVER;
    }
  });

/** The database's address, which every process reads. */
const databaseFields = {
  DATABASE_URL: postgresUrl(
    "is required: the address of Postgres, such as postgres://user:password@host:5432/waymark",
  ),
  DATABASE_DIRECT_URL: postgresUrl().optional(),
};

/** The address of a replica, as one host: a read must be answered by the server that was asked whether it has everything. */
export const replicaFields = {
  DATABASE_REPLICA_URL: postgresUrl()
    .refine(
      (url) => parseDatabaseUrl(url).hosts.length === 1,
      "must have one host: that of a replica, or of a proxy in front of several",
    )
    .optional(),
};

/** A list of addresses that a setting opens, as `parseEgressAllowances` reads it. */
export const egressAllowances = z.string().transform((value, ctx): EgressAllowance[] => {
  try {
    return parseEgressAllowances(value);
  } catch (error) {
    if (!(error instanceof EgressListError)) throw error;
    ctx.addIssue({ code: "custom", message: error.message });
    return z.NEVER;
  }
});

/** The keys that encrypt secrets of environments. Api and worker read them, and `rotate-keys`. */
export const keyRingFields = { JOURNEY_KEYS: KeyRingField.optional() };

/** Variables of the operator's commands, with the login of the database's owner. */
export const ownerConfigFields = {
  ...databaseFields,
  SERVICE_DATABASE_URL: postgresUrl().optional(),
};

/** Variables of both api and worker. */
export const sharedConfigFields = {
  ...databaseFields,
  /** For servers that allow no separate login for the services. Then only a start-up option limits their privileges. */
  ALLOW_PRIVILEGED_DATABASE_LOGIN: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((value) => value === "true"),
  REDIS_URL: RedisUrl.optional(),
  ...keyRingFields,
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  METRICS_HOST: z.string().default("127.0.0.1"),
  /** The base address of an OTLP/HTTP collector. OpenTelemetry's packages read their own variables themselves. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// address" })
    .optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.[0-9]+)?|1(\.0+)?)$/, "must be a share from 0 to 1, such as 0.1")
    .default("1"),
};

/** The port of a process's `/metrics`. 0 means any free port. */
export function metricsPort(port: number) {
  return integer({ min: 0, max: 65_535 }).default(port);
}

export interface ObservabilityConfig {
  metricsHost: string;
  metricsPort: number;
  otlpEndpoint: string | undefined;
  traceSampleRatio: number;
}

/** The configuration that api and worker share. */
export function observabilityConfig(env: {
  METRICS_HOST: string;
  METRICS_PORT: number;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_TRACES_SAMPLER_ARG: string;
}): ObservabilityConfig {
  return {
    metricsHost: env.METRICS_HOST,
    metricsPort: env.METRICS_PORT,
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
    traceSampleRatio: Number(env.OTEL_TRACES_SAMPLER_ARG),
  };
}

/** A number of something as text, or `off` for none. Use `prefault`: a `default` would also replace `off`. */
export function numberOrOff(what: string, max: number) {
  return z
    .string()
    .regex(/^(off|[1-9][0-9]{0,14})$/, `must be a number of ${what}, or off`)
    .transform((value) => (value === "off" ? undefined : Number(value)))
    .pipe(z.int().max(max).optional());
}

/** An integer as text, within limits. */
export function integer(limits: { min: number; max: number }) {
  return z
    .string()
    .regex(/^[0-9]+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(limits.min).max(limits.max));
}
