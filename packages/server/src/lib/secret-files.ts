import { readFileSync } from "node:fs";
import { toError } from "@waymark/shared/lib/to-error.ts";

/** Variables that may contain a secret. Each can be in a file instead, which `NAME_FILE` names. */
export const SECRET_VARIABLES = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_REPLICA_URL",
  "SERVICE_DATABASE_URL",
  "REDIS_URL",
  "JOURNEY_KEYS",
] as const;

/**
 * Reads the secrets that are in files, of those that `names` has. A line break at the end of a file does not belong to it.
 *
 * @returns their values, and a line for each that can't be read
 */
export function readSecretFiles(
  environment: Readonly<Record<string, string>>,
  names: readonly string[],
): { values: Record<string, string>; problems: string[] } {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of SECRET_VARIABLES) {
    const file = environment[`${name}_FILE`];
    if (file === undefined || !names.includes(name)) continue;
    if (environment[name] !== undefined) {
      problems.push(`${name}_FILE: is set together with ${name}; set one of them`);
      continue;
    }
    try {
      values[name] = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      problems.push(`${name}_FILE: the file can't be read (${toError(error).message})`);
    }
  }
  return { values, problems };
}
