import { containsApiKey } from "@waymark/shared/lib/redact-api-keys.ts";
import type { CliContext } from "../../../framework/context.ts";
import { type Environment, given as givenValue, IDENTITY_SECRETS } from "../../../lib/config.ts";
import { CliError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { printable } from "../../../lib/text.ts";
import { readAssignments } from "../assignments.ts";
import { SECRET_LENGTH_MIN } from "@waymark/journeys/secrets/redact.ts";
import { writeLine } from "../../../lib/output.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";

/** A secret of at least this length hardly occurs in a text by chance. */
const SECRET_LENGTH_SAFE = 8;
const SECRET_BYTES_MAX = 64 * 1024;

/** Resolves a journey's reference to a secret. */
export type ResolveSecret = (ref: string) => string | undefined;

const OWN_SECRETS: readonly string[] = ["SERVICE_API_KEY", ...IDENTITY_SECRETS];

/**
 * `env:NAME` is the variable NAME, or the file that `--secret NAME=path` gives for it: how secrets are mounted into
 * containers. A line break at the end of a file is not part of the secret, and an empty value counts as missing. A variable
 * with an API key of waymark is refused: the journey also decides where its secrets are sent, and a pull request can change it.
 * @throws {CliError} if such a file can't be read
 */
export async function secretResolver(
  context: Pick<CliContext, "cwd" | "openStdin" | "stderr" | "env">,
  given: readonly string[],
): Promise<ResolveSecret> {
  const warned = new Set<string>();
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
    const value = files.get(name) ?? environmentSecret(context.env, name);
    if (value === undefined || value === "") return undefined;
    if (value.length < SECRET_LENGTH_SAFE && !warned.has(name))
      writeLine(context.stderr, tooShort(name, value));
    warned.add(name);
    return value;
  };
}

/** A short value occurs in ordinary text; an even shorter one is not redacted at all. */
function tooShort(name: string, value: string): string {
  const what =
    value.length < SECRET_LENGTH_MIN
      ? `fewer than ${SECRET_LENGTH_MIN} characters: it is too short to be redacted, so the output may show it`
      : `fewer than ${SECRET_LENGTH_SAFE} characters: wherever they stand in ordinary text, that is redacted too`;
  return `warning: The secret ${printable(name, 60)} has ${what}. Use a longer one.`;
}

/** @throws {CliError} for a variable that holds an API key of waymark */
function environmentSecret(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (
    value === undefined ||
    !(containsApiKey(value) || OWN_SECRETS.some((own) => name === own || value === givenValue(env[own])))
  )
    return value;
  throw new CliError(
    JOURNEY_EXIT.input,
    `The journey asks for env:${printable(name, 60)}, which holds an API key of waymark, or what gets one: a journey does not get it.`,
    {
      details: [`If this journey is meant to have it, give it a file: --secret ${printable(name, 60)}=path.`],
    },
  );
}
