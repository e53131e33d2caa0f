import { denial, hasPermission } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { getOwnKey, type OwnKey } from "../../api/keys-api.ts";
import { tryingOnce } from "../../api/try-once.ts";
import { findServiceId } from "../../api/services-api.ts";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { needsComparison } from "./gates.ts";
import type { ScanSettings } from "./settings.ts";

/** The permissions that following and judging a run need besides those of a scan. */
export function permissionsToConclude({
  gates,
  waitSeconds,
  promote,
}: Pick<ScanSettings, "gates" | "waitSeconds" | "promote">): Permission[] {
  return [
    ...(waitSeconds === undefined ? [] : (["services:read"] as const)),
    ...(gates !== undefined && (needsComparison(gates) || gates.contract !== undefined)
      ? (["endpoints:read"] as const)
      : []),
    ...(gates?.failOnBrokenJourneys === true ? (["journeys:read"] as const) : []),
    ...(gates !== undefined && promote ? (["services:update"] as const) : []),
  ];
}

/**
 * Refuses a scan before it is sent if its key can't follow or judge the run: otherwise the run would be stored, and the
 * command would fail all the same.
 * @throws {CliError} with the missing permissions
 */
export async function checkAccess(connection: ApiConnection, settings: ScanSettings): Promise<void> {
  const permissions = permissionsToConclude(settings);
  if (permissions.length === 0) return;
  // If the check is impossible, such as with an older server or one that is down, the scan fails when it is sent.
  const once = tryingOnce(connection);
  const missing = await getOwnKey(once)
    .then((key) => findMissing(once, { key, permissions, service: settings.service }))
    .catch((error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    });
  if (missing === undefined) return;
  const options = settings.gates === undefined ? "--wait" : "--wait and the gates";
  throw new CliError(EXIT_CODES.access, `The key can't do what ${options} need, so nothing was sent.`, {
    details: [missing],
  });
}

/** Describes what a key lacks, in the server's words; undefined if it lacks nothing or that can't be found out here. */
export async function findMissing(
  connection: ApiConnection,
  wanted: { key: OwnKey; permissions: readonly Permission[]; service: string },
): Promise<string | undefined> {
  const { key, permissions, service } = wanted;
  const actor = { organizationId: key.organizationId, apiKeyId: key.id, scopes: key.scopes };
  const missing = denial(actor, permissions, { serviceName: service });
  if (missing === undefined) return undefined;
  if (!permissions.every((permission) => hasPermission(actor, permission))) return missing.message;
  // A scope may be limited to a service's id.
  const serviceId = await findServiceId(connection, service).catch((error: unknown) => {
    if (error instanceof CliError && error.exitCode === EXIT_CODES.access) return undefined;
    throw error;
  });
  if (serviceId === undefined) return undefined;
  return denial(actor, permissions, { serviceName: service, ...(serviceId !== null && { serviceId }) })
    ?.message;
}
