import { type ApiConnection, type ApiKey, connectApi } from "../api/api-client.ts";
import type { CliContext } from "./context.ts";
import type { Destination } from "../lib/config.ts";
import { usageError } from "../lib/cli-error.ts";
import type { Reporter } from "../lib/reporter.ts";
import { readProjectFile } from "./project-file.ts";
import { API_KEY_REQUIRED, type ConnectionFlags, readCertificate } from "./connection-flags.ts";
import { findCredentials } from "./credentials.ts";
import { identityHint } from "./identity-hint.ts";

/** Connects with the settings of the options, the environment and `waymark.yaml`. */
export async function connect(
  context: CliContext,
  reporter: Reporter,
  flags: ConnectionFlags,
): Promise<ApiConnection> {
  const file = await readProjectFile(context);
  const { key, destination } = await findCredentials(context, flags, file.url);
  if (key === undefined) throw usageError(API_KEY_REQUIRED, { details: identityHint(context.env) });
  return openConnection(context, reporter, {
    apiKey: key.apiKey,
    destination,
    extraCa: await readCertificate(context.cwd, flags.caCert),
  });
}

/** Connects with resolved settings. */
export function openConnection(
  context: CliContext,
  reporter: Reporter,
  settings: { apiKey: ApiKey | undefined; destination: Destination; extraCa: string | undefined },
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
