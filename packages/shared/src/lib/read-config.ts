import type { z } from "zod";

/**
 * Reads a deployable's settings from its environment, once, at start.
 *
 * @throws Error that lists every bad variable, without their values (one may hold a password)
 */
export function readConfig<T extends z.ZodType>(
  schema: T,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  // An empty variable is how compose files and CI systems say "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The configuration is not usable:\n${lines.join("\n")}`);
}
