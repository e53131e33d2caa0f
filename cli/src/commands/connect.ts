import { readFile } from "node:fs/promises";
import path from "node:path";
import { type ApiConnection, connectApi } from "../api-client.ts";
import { findApiKey } from "../api-key.ts";
import type { CliContext } from "../context.ts";
import { apiUrlFrom, given } from "../config.ts";
import { usageError } from "../lib/cli-error.ts";
import type { Reporter } from "../lib/reporter.ts";
import { readProjectFile } from "../project-file.ts";

/** The options that every command with a server has. */
export interface ConnectionFlags {
  apiKey: string | undefined;
  apiKeyFile: string | undefined;
  apiUrl: string | undefined;
  caCert: string | undefined;
}

export const API_KEY_REQUIRED = "API key required: pass --api-key <key> or set SERVICE_API_KEY.";

/** Connects with what the options, the environment and `waymark.yaml` say. */
export async function connect(
  context: CliContext,
  reporter: Reporter,
  flags: ConnectionFlags,
): Promise<ApiConnection> {
  const file = await readProjectFile(context.cwd);
  const apiKey = await findApiKey(context, flags);
  if (apiKey === undefined) throw usageError(API_KEY_REQUIRED);
  return openConnection(context, reporter, {
    apiKey,
    apiUrl: apiUrlFrom(flags.apiUrl, context.env, file.url),
    extraCa: await readCertificate(context.cwd, flags.caCert),
  });
}

/** Connects with settled values. */
export function openConnection(
  context: CliContext,
  reporter: Reporter,
  settings: { apiKey: string | undefined; apiUrl: string; extraCa: string | undefined },
): ApiConnection {
  return connectApi({
    ...settings,
    proxy: context.env,
    times: context.times,
    onRetry: ({ reason, delayMs }) => {
      reporter.progress(`${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s.`);
    },
  });
}

/** Reads the file of `--ca-cert`. */
export async function readCertificate(cwd: string, file: string | undefined): Promise<string | undefined> {
  const name = given(file);
  if (name === undefined) return undefined;
  const text = await readFile(path.resolve(cwd, name), "utf8").catch(() => undefined);
  if (text?.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw usageError(`--ca-cert must be a file with a certificate in PEM form: ${name}.`);
}
