import path from "node:path";
import { type DestinationFlags, given } from "../lib/config.ts";
import { usageError } from "../lib/cli-error.ts";

/** The options that every command with a server has. */
export interface ConnectionFlags extends DestinationFlags {
  apiKey: string | undefined;
  apiKeyFile: string | undefined;
  caCert: string | undefined;
}

export const API_KEY_REQUIRED = "API key required: pass --api-key <key> or set SERVICE_API_KEY.";

/** Reads the file of `--ca-cert`. */
export async function readCertificate(cwd: string, file: string | undefined): Promise<string | undefined> {
  const name = given(file);
  if (name === undefined) return undefined;
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(path.resolve(cwd, name), "utf8").catch(() => undefined);
  if (text?.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw usageError(`--ca-cert must be a file with a certificate in PEM form: ${name}.`);
}
