import type { ApiConnection } from "../../api/api-client.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import type { ScanSettings } from "./settings.ts";

/** Returns a connection; undefined without a key, or if the settings of the connection are wrong, which sending the scan says. */
export async function connectOrNone(
  context: CliContext,
  reporter: Reporter,
  { apiKey, destination, extraCa }: ScanSettings,
): Promise<ApiConnection | undefined> {
  if (apiKey === undefined) return undefined;
  // Loading the network code takes longer than reading most descriptions.
  const { openConnection } = await import("../../framework/connect.ts");
  try {
    return openConnection(context, reporter, { apiKey, destination, extraCa });
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
