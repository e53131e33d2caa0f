import { z } from "zod";

const isUrlOf =
  (...protocols: string[]) =>
  (value: string) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol);

/** Variables that api and worker both read. */
export const sharedConfigFields = {
  DATABASE_URL: z
    .string("is required: the address of Postgres, such as postgres://user:password@host:5432/waymark")
    .refine(isUrlOf("postgres:", "postgresql:"), "must be a postgres:// address"),
  DATABASE_DIRECT_URL: z
    .string()
    .refine(isUrlOf("postgres:", "postgresql:"), "must be a postgres:// address")
    .optional(),
  REDIS_URL: z
    .string()
    .refine(isUrlOf("redis:", "rediss:"), "must be a redis:// or rediss:// address")
    .optional(),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
};

/** A whole number given as text, within limits. */
export function integer(limits: { min: number; max: number }) {
  return z
    .string()
    .regex(/^[0-9]+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(limits.min).max(limits.max));
}
