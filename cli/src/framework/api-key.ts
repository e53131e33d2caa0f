import path from "node:path";
import type { ApiKey } from "../api/api-client.ts";
import type { CliContext } from "./context.ts";
import { hasIdentity } from "./identity-hint.ts";
import { given } from "../lib/config.ts";
import { usageError } from "../lib/cli-error.ts";

export interface ApiKeyOptions {
  /** The key itself, or `-` for standard input. */
  apiKey: string | undefined;
  /** A file that contains only the key, or `-` for standard input. */
  apiKeyFile: string | undefined;
}

const KEY_BYTES_MAX = 10_000;

/** An API key, and what it comes from, for the user. */
export interface FoundKey {
  apiKey: ApiKey;
  source: string;
}

/**
 * Finds the API key: `--api-key`, then `--api-key-file`, then SERVICE_API_KEY, then the one that `waymark login` stored for the
 * server, then the one that the build's identity is exchanged for. Undefined if there is none.
 * @throws {CliError} if a key file can't be read
 */
export async function findApiKey(
  context: Pick<CliContext, "env" | "openStdin" | "cwd">,
  options: ApiKeyOptions,
  apiUrl: string,
): Promise<(FoundKey & { isStored: boolean }) | undefined> {
  const named = await findNamedKey(context, options);
  if (named !== undefined) return { ...named, isStored: false };
  // An option that names a key or a file selects that key, and no stored one replaces it if it is empty.
  if (given(options.apiKey) !== undefined || given(options.apiKeyFile) !== undefined) return undefined;
  const { readStoredKey } = await import("./key-store.ts");
  const stored = readStoredKey(context.env, apiUrl);
  if (stored !== undefined)
    return { apiKey: stored.apiKey, source: `waymark login, in ${stored.file}`, isStored: true };
  // Loads what sends requests.
  if (!hasIdentity(context.env)) return undefined;
  const [{ findIdentity }, { createWorkloadKey }] = await Promise.all([
    import("./identity.ts"),
    import("../api/workload-key.ts"),
  ]);
  const identity = findIdentity(context);
  if (identity === undefined) return undefined;
  const apiKey = createWorkloadKey(identity, given(context.env["WAYMARK_AUDIENCE"]));
  return { apiKey, source: `the identity of this build, by ${identity.source}`, isStored: false };
}

/** Finds the API key that an option or the environment gives, as `findApiKey` does. */
export async function findNamedKey(
  context: Pick<CliContext, "env" | "openStdin" | "cwd">,
  options: ApiKeyOptions,
): Promise<FoundKey | undefined> {
  const direct = given(options.apiKey);
  if (direct !== undefined && direct !== "-") return { apiKey: direct, source: "--api-key" };
  if (direct === "-" || options.apiKeyFile === "-") {
    return foundIn("standard input", await readKeyStream(context.openStdin()));
  }
  const file = given(options.apiKeyFile);
  if (file === undefined) return foundIn("SERVICE_API_KEY", context.env["SERVICE_API_KEY"]);
  try {
    const { readFile } = await import("node:fs/promises");
    return foundIn(`the file ${file}`, await readFile(path.resolve(context.cwd, file), "utf8"));
  } catch (error) {
    throw usageError(`Can't read the API key from the file ${file}.`, { cause: error });
  }
}

function foundIn(source: string, text: string | undefined): FoundKey | undefined {
  const apiKey = given(text);
  return apiKey === undefined ? undefined : { apiKey, source };
}

/** True if the key comes from standard input, which then can't provide anything else. */
export function keyComesFromStdin(options: ApiKeyOptions): boolean {
  return options.apiKey === "-" || options.apiKeyFile === "-";
}

/** Reads a key from standard input. @throws {CliError} if it is too long for one */
export async function readKeyStream(stdin: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > KEY_BYTES_MAX) throw usageError("Standard input is too long to be an API key.");
  }
  return text;
}
