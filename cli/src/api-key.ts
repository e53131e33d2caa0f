import path from "node:path";
import type { CliContext } from "./context.ts";
import { given } from "./config.ts";
import { usageError } from "./lib/cli-error.ts";

export interface ApiKeyOptions {
  /** The key itself, or `-` for standard input. */
  apiKey: string | undefined;
  /** A file that contains only the key, or `-` for standard input. */
  apiKeyFile: string | undefined;
}

const KEY_BYTES_MAX = 10_000;

/**
 * Finds the API key: `--api-key`, then `--api-key-file`, then SERVICE_API_KEY. Undefined if there is none.
 * @throws {CliError} if a key file can't be read
 */
export async function findApiKey(
  context: Pick<CliContext, "env" | "stdin" | "cwd">,
  options: ApiKeyOptions,
): Promise<string | undefined> {
  const direct = given(options.apiKey);
  if (direct !== undefined && direct !== "-") return direct;
  if (direct === "-" || options.apiKeyFile === "-") return given(await readStandardInput(context.stdin));
  const file = given(options.apiKeyFile);
  if (file === undefined) return given(context.env["SERVICE_API_KEY"]);
  try {
    const { readFile } = await import("node:fs/promises");
    return given(await readFile(path.resolve(context.cwd, file), "utf8"));
  } catch (error) {
    throw usageError(`Can't read the API key from the file ${file}.`, { cause: error });
  }
}

/** Whether the key comes from standard input, which then can't provide anything else. */
export function keyComesFromStdin(options: ApiKeyOptions): boolean {
  return options.apiKey === "-" || options.apiKeyFile === "-";
}

async function readStandardInput(stdin: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > KEY_BYTES_MAX) throw usageError("Standard input is too long to be an API key.");
  }
  return text;
}
