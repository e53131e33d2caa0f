import type { z } from "zod";
import { readSecretFiles } from "./secret-files.ts";

/**
 * Reads a deployable's configuration from its environment, once, when it starts. A secret may be in a file, which a variable
 * with the suffix `_FILE` names.
 *
 * @throws Error that lists every invalid variable, without values (one may contain a password)
 */
export function readConfig<T extends z.ZodObject>(
  schema: T,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  // In compose files and CI systems, an empty variable means "not set".
  const given = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
  );
  const files = readSecretFiles(given, Object.keys(schema.shape));
  if (files.problems.length > 0) throw unusable(files.problems);
  const result = schema.safeParse({ ...given, ...files.values });
  if (result.success) return result.data;
  throw unusable(result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
}

function unusable(problems: readonly string[]): Error {
  const lines = problems.map((problem) => `  ${problem}`);
  return new Error(`The configuration is not usable:\n${lines.join("\n")}`);
}
