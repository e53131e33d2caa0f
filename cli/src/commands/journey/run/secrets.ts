import type { CliContext } from "../../../context.ts";
import { CliError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { readAssignments } from "../assignments.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";

const SECRET_BYTES_MAX = 64 * 1024;

/** Finds the value behind a reference of a journey. */
export type ResolveSecret = (ref: string) => string | undefined;

/**
 * `env:NAME` is the variable NAME, or the file that `--secret NAME=path` gives for it: how secrets are mounted into
 * containers. A line break at a file's end is none of the secret; an empty value is none.
 * @throws {CliError} when such a file can't be read
 */
export async function secretResolver(
  context: Pick<CliContext, "cwd" | "stdin" | "env">,
  given: readonly string[],
): Promise<ResolveSecret> {
  const files = new Map<string, string>();
  for (const [name, file] of readAssignments("--secret", given)) {
    try {
      const text = await readText(context, file, { bytesMax: SECRET_BYTES_MAX });
      files.set(name.replace(/^env:/, ""), text.replace(/\r?\n$/, ""));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      throw new CliError(JOURNEY_EXIT.input, `The secret ${name}: ${error.message}`, { cause: error });
    }
  }
  return (ref) => {
    const name = /^env:(.+)$/s.exec(ref)?.[1];
    if (name === undefined) return undefined;
    const value = files.get(name) ?? (Object.hasOwn(context.env, name) ? context.env[name] : undefined);
    return value === "" ? undefined : value;
  };
}
