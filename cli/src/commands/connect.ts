import { type ApiConnection, connectApi } from "../api-client.ts";
import { findApiKey } from "../api-key.ts";
import type { CliContext } from "../context.ts";
import { type Destination, destinationFrom } from "../config.ts";
import { usageError } from "../lib/cli-error.ts";
import type { Reporter } from "../lib/reporter.ts";
import { readProjectFile } from "../project-file.ts";
import { API_KEY_REQUIRED, type ConnectionFlags, readCertificate } from "./connection-flags.ts";

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
    destination: destinationFrom(flags, context.env, file.url),
    extraCa: await readCertificate(context.cwd, flags.caCert),
  });
}

/** Connects with settled values. */
export function openConnection(
  context: CliContext,
  reporter: Reporter,
  settings: { apiKey: string | undefined; destination: Destination; extraCa: string | undefined },
): ApiConnection {
  return connectApi({
    ...settings,
    proxy: context.env,
    times: context.times,
    onRetry: ({ reason, delayMs }) => {
      reporter.delay(
        `${settings.destination.apiUrl}: ${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s.`,
      );
    },
  });
}
