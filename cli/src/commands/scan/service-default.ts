import type { ApiConnection } from "../../api/api-client.ts";
import { findDefaultBranch } from "../../api/services-api.ts";
import { tryingOnce } from "../../api/try-once.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { ScanSettings } from "./settings.ts";

/**
 * Decides with the default branch that is set for the service whether the run becomes current, if neither `waymark.yaml` nor the build names
 * one. If none is set, or it can't be read, the decision stays as it was.
 */
export async function withServiceDefault(
  connection: ApiConnection,
  settings: ScanSettings,
): Promise<ScanSettings> {
  const { decideWith, service } = settings;
  if (decideWith === undefined) return settings;
  const defaultBranch = await findDefaultBranch(tryingOnce(connection), service).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (defaultBranch === undefined) return settings;
  const { promote, note } = decideWith(defaultBranch);
  return { ...settings, promote, promotionNote: note };
}
