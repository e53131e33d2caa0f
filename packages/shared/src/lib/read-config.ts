import type { z } from "zod";

/**
 * Reads a deployable's configuration from its environment, once, when it starts.
 *
 * @throws Error that lists every invalid variable, without values (one may contain a password)
 */
export function readConfig<T extends z.ZodType>(
  schema: T,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  // In compose files and CI systems, an empty variable means "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The configuration is not usable:\n${lines.join("\n")}`);
}
